/*---
kind: script
name: test_elicitation
description: Needs what its caller does not know.
input_schema:
  type: object
  required: [message, username, email]
  properties:
    message: {type: string}
    username: {type: string, description: User's response}
    email: {type: string, description: User's email address}
---*/
export default (ctx, { username, email }) => `User response: ${username} at ${email}`
