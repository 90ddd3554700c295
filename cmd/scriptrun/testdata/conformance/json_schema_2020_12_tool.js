/*---
kind: script
name: json_schema_2020_12_tool
description: Tool with JSON Schema 2020-12 features
input_schema:
  $schema: https://json-schema.org/draft/2020-12/schema
  type: object
  $defs:
    address:
      type: object
      properties:
        street: {type: string}
        city: {type: string}
  properties:
    name: {type: string}
    address: {$ref: '#/$defs/address'}
  additionalProperties: false
---*/
export default (ctx, inputs) => inputs
