/*---
kind: script
name: test_simple_text
description: Answers with text.
---*/
export default () => 'This is a simple text response for testing.'
