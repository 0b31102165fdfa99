"""The vendor's Wyoming server, over a sandbox, asked as Home Assistant asks it; prints what it answered as JSON.

Environment: STT, TTS (socket addresses), KEY, WAV (16 kHz mono s16).
"""

import asyncio
import json
import os
import sys
import wave
from functools import partial

import palabra_ai.client as client
from palabra_ai import Palabra
from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient
from wyoming.error import Error
from wyoming.info import Describe, Info
from wyoming.server import AsyncServer
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart, SynthesizeStop, SynthesizeStopped, SynthesizeVoice
from wyoming_palabra.handler import HandlerConfig, PalabraEventHandler
from wyoming_palabra.info import build_info

# The module has the addresses of each region as a constant.
client.REGIONS["eu"] = client.Region(stt=os.environ["STT"], tts=os.environ["TTS"])
HOST = "127.0.0.1"
# A command, cut off in the middle of a pause: only `finalize` makes it final.
COMMAND_S = 2.4


async def read(connection: AsyncTcpClient, *wanted) -> tuple[object, bytes]:
    """The first event of a wanted kind, and the sound that came before it."""
    sound = bytearray()
    while True:
        event = await asyncio.wait_for(connection.read_event(), 30)
        if event is None:
            raise RuntimeError("the server has closed the connection")
        if Error.is_type(event.type):
            raise RuntimeError(Error.from_event(event).text)
        if AudioChunk.is_type(event.type):
            sound.extend(AudioChunk.from_event(event).audio)
        for kind in wanted:
            if kind.is_type(event.type):
                return (kind.from_event(event) if kind is not SynthesizeStopped else kind()), bytes(sound)


async def transcribe(connection: AsyncTcpClient, pcm: bytes, rate: int) -> list:
    started = asyncio.get_running_loop().time()
    await connection.write_event(Transcribe(language="en").event())
    await connection.write_event(AudioStart(rate=rate, width=2, channels=1).event())
    piece = rate // 10 * 2
    for at in range(0, len(pcm), piece):
        await connection.write_event(AudioChunk(rate=rate, width=2, channels=1, audio=pcm[at : at + piece]).event())
    await connection.write_event(AudioStop().event())
    transcript, _ = await read(connection, Transcript)
    return [transcript.text, asyncio.get_running_loop().time() - started]


async def main() -> None:
    with wave.open(os.environ["WAV"]) as file:
        rate = file.getframerate()
        pcm = file.readframes(int(rate * COMMAND_S))
    config = HandlerConfig(info=build_info())
    server = await asyncio.start_server(lambda *_: None, HOST, 0)
    port = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    wyoming = AsyncServer.from_uri(f"tcp://{HOST}:{port}")
    await wyoming.start(partial(PalabraEventHandler, config, Palabra(os.environ["KEY"])))
    result = {}
    async with AsyncTcpClient(HOST, port) as connection:
        await connection.write_event(Describe().event())
        info, _ = await read(connection, Info)
        result["languages"] = len(info.asr[0].models[0].languages)
        result["heard"] = [await transcribe(connection, pcm, rate) for _ in range(2)]
        result["silence"] = (await transcribe(connection, bytes(rate * 2), rate))[0]
        await connection.write_event(
            Synthesize(text="Good morning. How far is it?", voice=SynthesizeVoice(name="en-default_low")).event()
        )
        _, sound = await read(connection, AudioStop)
        result["whole"] = len(sound) / 48000
        await connection.write_event(SynthesizeStart(voice=SynthesizeVoice(name="es-default_high")).event())
        for text in ("Buenos días. ", "¿Cómo está ", "usted? Bien."):
            await connection.write_event(SynthesizeChunk(text=text).event())
        await connection.write_event(SynthesizeStop().event())
        _, sound = await read(connection, SynthesizeStopped)
        result["streamed"] = len(sound) / 48000
    await wyoming.stop()
    json.dump(result, sys.stdout)


asyncio.run(main())
