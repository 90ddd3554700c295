/*---
kind: script
name: hello
description: Say hello.
---*/
export default () => "hello";
