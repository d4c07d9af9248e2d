"""An MCP server for tests, over stdio: good tools, and some that die, hang or lie.

    python lying_server.py [MODE]

Modes: `silent` answers nothing, `crash` ends at once, `endless` lists pages without end, `words`
writes nonsense. Without the `mcp` package, so that nothing checks what it sends.
"""

import json
import os
import sys
import time

MODE = sys.argv[1] if len(sys.argv) > 1 else ""
calls = 0


def tool(name, properties=None, required=(), **more):
    schema = {"type": "object", "properties": properties or {}, "required": list(required)}
    return {"name": name, "description": f"{name} it", "inputSchema": schema} | more


TEXT = {"text": {"type": "string"}}
TOOLS = [
    tool("Add-Up", {"a": {"type": "integer"}, "b": {"type": "integer"}}, ["a", "b"]),
    tool("echo", TEXT, ["text"]),
    tool("environment"), tool("die"), tool("hang"), tool("huge"), tool("refuse"), tool("nonsense"),
    tool("evil", {"text": {"type": "string", "pattern": "^(a+)+$", "$ref": "#"}}, ["text"]),
]  # fmt: skip


def result(name, arguments):
    global calls
    calls += 1
    if name == "die":
        os._exit(1)
    if name == "hang":
        time.sleep(100)
    if name == "nonsense":
        return {"content": "no list", "isError": "perhaps"}
    text = {
        "Add-Up": lambda: str(arguments["a"] + arguments["b"]),
        "echo": lambda: f"{calls}: {arguments['text']}",
        "evil": lambda: arguments["text"],
        "environment": lambda: ",".join(sorted(os.environ)),
        "huge": lambda: "x" * 3_000_000,
        "refuse": lambda: "not today\x1b[31m",
    }[name]()
    return {"content": [{"type": "text", "text": text}], "isError": name == "refuse"}


def answer(message):
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        return {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "test", "version": "1"},
        }
    if method == "tools/list":
        more = {"nextCursor": "again"} if MODE == "endless" else {}
        return {"tools": TOOLS} | more
    if method == "tools/call":
        return result(params["name"], params.get("arguments") or {})
    return None


def send(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if MODE == "crash":
    sys.exit(3)
for line in sys.stdin:
    message = json.loads(line)
    if MODE == "silent" or "id" not in message:
        continue
    if MODE == "words":
        send("I am a server")
        continue
    found = answer(message)
    body = {"result": found} if found else {"error": {"code": -32601, "message": "no method"}}
    send(json.dumps({"jsonrpc": "2.0", "id": message["id"], **body}))
