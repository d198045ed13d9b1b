"""The official Python client at an address of ours: `client.py SCENARIO` prints what it got as JSON. OPENAI_BASE_URL, OPENAI_API_KEY."""

import asyncio
import json
import sys

import openai

MODEL = "mimikit"
client = openai.OpenAI(max_retries=0)


def says(*content):
    return {"model": MODEL, "messages": [{"role": "user", "content": text} for text in content]}


def failure(call):
    """The class, status, code and parameter of the error that a call raises."""
    try:
        call()
    except openai.APIStatusError as error:
        return [type(error).__name__, error.status_code, error.code, error.param]
    return None


def models():
    return {
        "listed": [model.id for model in client.models.list()],
        "retrieved": client.models.retrieve(MODEL).owned_by,
        "unknown": failure(lambda: client.models.retrieve("gpt-4")),
    }


def chat():
    whole = client.chat.completions.create(**says("whole"))
    chunks = list(client.chat.completions.create(**says("streamed"), stream=True, stream_options={"include_usage": True}))
    with client.chat.completions.stream(**says("helped")) as stream:
        events = [event.type for event in stream]
        final = stream.get_final_completion()
    return {
        "whole": [whole.choices[0].message.content, whole.choices[0].finish_reason, whole.usage.total_tokens],
        "streamed": [
            "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices),
            [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices and chunk.choices[0].finish_reason],
            chunks[-1].usage.total_tokens,
        ],
        "helped": [final.choices[0].message.content, "content.delta" in events, "content.done" in events],
    }


def responses():
    whole = client.responses.create(model=MODEL, input="whole", instructions="Be a pirate.")
    with client.responses.stream(model=MODEL, input="streamed", previous_response_id=whole.id) as stream:
        deltas = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
        final = stream.get_final_response()
    return {
        "whole": [whole.output_text, whole.status, whole.usage.total_tokens],
        "streamed": [deltas, final.output_text, final.status],
    }


def tools():
    """Tools that a client offers are not called; a picture is read."""
    function = {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
    offered = client.chat.completions.create(**says("with tools"), tools=[function])
    demanded = {"tools": [function], "tool_choice": "required"}
    pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
    url = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{pixel}"}}
    seen = client.chat.completions.create(**says([{"type": "text", "text": "with a picture"}, url]))
    message = offered.choices[0].message
    return {
        "offered": [message.content, message.tool_calls, offered.choices[0].finish_reason],
        "demanded": failure(lambda: client.chat.completions.create(**says("demanded"), **demanded)),
        "seen": seen.choices[0].message.content,
    }


def errors():
    create = client.chat.completions.create
    stranger = client.with_options(api_key="sk-wrong")
    schema = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}}
    return {
        "key": failure(lambda: stranger.chat.completions.create(**says("hi"))),
        "model": failure(lambda: create(**{**says("hi"), "model": "gpt-4"})),
        "several": failure(lambda: create(**says("hi"), n=3)),
        "schema": failure(lambda: create(**says("hi"), response_format=schema)),
        "streamed": failure(lambda: list(create(**says("hi"), n=3, stream=True))),
        "elsewhere": failure(lambda: client.embeddings.create(model=MODEL, input="hi")),
        "nothing said": failure(lambda: create(model=MODEL, messages=[])),
        "too long": failure(lambda: create(**says("x" * 64_001))),
    }


def again():
    """The same key is the same message; other words under it are refused."""
    key = {"extra_headers": {"Idempotency-Key": "once"}}
    first, second = (client.chat.completions.create(**says("once"), **key) for _ in range(2))
    other = failure(lambda: client.chat.completions.create(**says("something else"), **key))
    return {"same": first.choices[0].message.content == second.choices[0].message.content, "other": other}


def at_once():
    """Two conversations of an asynchronous client."""

    async def both():
        asynchronous = openai.AsyncOpenAI(max_retries=0)
        asked = (asynchronous.chat.completions.create(**says(text)) for text in ("one", "two"))
        return [reply.choices[0].message.content for reply in await asyncio.gather(*asked)]

    return asyncio.run(both())


def persistent():
    """A client that asks again by itself, as it does by default."""
    reply = client.with_options(max_retries=20).chat.completions.create(**says("persistent"))
    return reply.choices[0].message.content


print(json.dumps(globals()[sys.argv[1]]()))
