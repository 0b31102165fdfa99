"""The vendor's client holds one conversation on each socket of a sandbox; prints what it saw as JSON.

Environment: S2S, STT, TTS (socket addresses, {hash} in the first), KEY, WAV (16 kHz mono s16).
"""

import asyncio
import json
import os
import struct
import sys
import time

import palabra_ai.client as client
from palabra_ai import Palabra
from palabra_ai.audio import read_wav
from palabra_ai.events import Audio, ServerError, ServerWarning, Transcript

# The module has the addresses of each region as a constant.
client.REGIONS["eu"] = client.Region(
    translation=os.environ["S2S"].replace("{hash}", "{random_hash}"),
    stt=os.environ["STT"],
    tts=os.environ["TTS"],
)
CURRENT = hasattr(client.TranslationSession, "interrupt")
PIECE_S = 7.0


def loudness(pcm: bytes) -> float:
    count = len(pcm) // 2
    samples = struct.unpack(f"<{count}h", pcm[: count * 2])
    return max((abs(sample) for sample in samples), default=0) / 32768


async def translate(palabra: Palabra, pcm: bytes, rate: int, zlib: bool) -> dict:
    seen = {"kinds": [], "sources": [], "translations": [], "audio": {}, "lasts": 0, "problems": [], "ids": {}}
    options = {"input_sample_rate": rate, "output_format": "zlib_pcm_s16le" if zlib else "pcm_s16le"}
    async with palabra.translation("en", ["es", "fr"], translate_partials=True, **options) as session:

        async def feed() -> None:
            await session.send_pcm(pcm)
            await session.speak("Una frase que no está en ninguna tabla.", "es")
            await (session.end() if CURRENT else session.end(eos_timeout=4))

        feeder = asyncio.create_task(feed())
        async for event in session:
            if event.type not in seen["kinds"]:
                seen["kinds"].append(event.type)
            if isinstance(event, Audio):
                seen["audio"].setdefault(event.language, bytearray()).extend(event.pcm)
                seen["lasts"] += event.last_chunk
            elif isinstance(event, Transcript) and event.is_eos:
                seen["translations" if event.is_translation else "sources"].append(event.text)
                seen["ids"].setdefault(event.id, []).append(event.language)
            elif isinstance(event, (ServerError, ServerWarning)):
                seen["problems"].append(event.code)
        await feeder
    seen["loudest"] = {language: loudness(bytes(audio)) for language, audio in seen["audio"].items()}
    seen["seconds"] = {language: len(audio) / 48000 for language, audio in seen["audio"].items()}
    del seen["audio"]
    return seen


async def transcribe(palabra: Palabra, pcm: bytes, rate: int) -> dict:
    seen = {"partials": 0, "finals": [], "translations": []}
    async with palabra.stt("en", sample_rate=rate, translate_languages=["es", "de"]) as session:

        async def feed() -> None:
            await session.send_pcm(pcm)
            await session.send_pcm(bytes(int(rate * 1.5) * 2))

        feeder = asyncio.create_task(feed())
        deadline = time.monotonic() + PIECE_S + 6
        while time.monotonic() < deadline and not (feeder.done() and len(seen["translations"]) >= 2 * len(seen["finals"]) > 0):
            try:
                event = await session.receive(timeout=1.0)
            except (asyncio.TimeoutError, TimeoutError):
                continue
            if event is None:
                break
            if event.is_translation:
                seen["translations"].append([event.language, event.text])
            elif event.is_eos:
                seen["finals"].append(event.text)
            else:
                seen["partials"] += 1
        await feeder
    return seen


async def speak(palabra: Palabra) -> dict:
    seen = {}
    async with palabra.tts("es", sample_rate=16000) as session:
        first = await session.synthesize("Buenos días, mucho gusto en conocerle.")
        other = await session.synthesize("Esto no lo ha dicho nadie todavía.")
    for name, audio in (("first", first), ("other", other)):
        seen[name] = {"seconds": len(audio) / 32000, "loudest": loudness(audio)}
    async with palabra.tts("en", format="wav", sample_rate=24000) as session:
        seen["wav"] = (await session.synthesize("How far is it from here to the station?"))[:4].decode("latin1")
    return seen


async def main() -> None:
    palabra = Palabra(os.environ["KEY"])
    pcm, rate, channels = read_wav(os.environ["WAV"])
    assert channels == 1
    pcm = pcm[: int(rate * PIECE_S) * 2]
    # All at once: they take as long as the speech they send.
    done = await asyncio.gather(
        translate(palabra, pcm, rate, zlib=False),
        translate(palabra, pcm, rate, zlib=True),
        transcribe(palabra, pcm, rate),
        speak(palabra),
    )
    result = dict(zip(("translate", "zlib", "transcribe", "speak"), done))
    try:
        async with Palabra("not the key").translation("en", "es"):
            result["bad key"] = "accepted"
    except Exception as error:
        result["bad key"] = type(error).__name__
    json.dump(result, sys.stdout)


asyncio.run(main())
