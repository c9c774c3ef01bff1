//! `schema`.

use super::{Console, sees};

#[test]
fn schema() {
    let console = Console::new();
    sees!(console, ["schema", "send"], @r##"
    $ agency schema send
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": {
        "ok": {
          "const": true
        },
        "schema_version": {
          "const": 1
        },
        "data": {
          "type": "object",
          "properties": {
            "id": {
              "$ref": "#/$defs/RunId"
            },
            "outcome": {
              "type": "string",
              "description": "What the supervisor saw."
            }
          },
          "required": [
            "id",
            "outcome"
          ],
          "description": "The answer.",
          "title": "DeliveryView",
          "$schema": "https://json-schema.org/draft/2020-12/schema"
        }
      },
      "required": [
        "ok",
        "schema_version",
        "data"
      ],
      "$defs": {
        "RunId": {
          "type": "string",
          "description": "Identifies one run for ever; never reused."
        }
      }
    }
    "##);
    sees!(console, ["schema", "run-spek"], @r"
    $ agency schema run-spek
    error [E_USAGE]: there is no schema 'run-spek'
    hint: did you mean run-spec?
    [exit status: 2]
    ");
    sees!(console, ["schema", "send", "stop"], @r"
    $ agency schema send stop
    error: unexpected argument 'stop' found

    Usage: agency schema [OPTIONS] [NAME]

    For more information, try '--help'.

    [E_USAGE]
    [exit status: 2]
    ");
}
