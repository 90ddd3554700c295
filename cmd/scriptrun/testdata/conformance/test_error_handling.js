/*---
kind: script
name: test_error_handling
description: Always fails.
---*/
export default () => { throw new Error('This tool intentionally returns an error for testing') }
