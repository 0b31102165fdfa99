import { describe, expect, test } from 'vitest';
import { ClientMessage, encodeClientMessage } from '#shared/protocol/client-message.ts';
import { decodeClientMessage } from '#shared/protocol/decode-client-message.ts';
import { decodeServerMessage } from '#shared/protocol/decode-server-message.ts';
import { type Asked, problemOfAnswer } from '#shared/protocol/envelope.ts';
import { readCreatedSession, readSession, readSessionList } from '#shared/protocol/session.ts';
import { decodeSttMessage, FINALIZE } from '#shared/protocol/speech-to-text.ts';
import { decodeTtsMessage, TtsClientMessage } from '#shared/protocol/text-to-speech.ts';
import clientSamples from '#test/wire/client-messages.json' with { type: 'json' };
import errorSamples from '#test/wire/rest-errors.json' with { type: 'json' };
import serverSamples from '#test/wire/server-messages.json' with { type: 'json' };
import sessionSamples from '#test/wire/sessions.json' with { type: 'json' };
import transcribedSamples from '#test/wire/speech-to-text.json' with { type: 'json' };
import spokenSamples from '#test/wire/text-to-speech.json' with { type: 'json' };

const onWire = (wire: unknown): string => (typeof wire === 'string' ? wire : JSON.stringify(wire));

/** Maps as objects, the way the samples write them. */
function plain(value: unknown): unknown {
	return JSON.parse(
		JSON.stringify(value, (_, part) => (part instanceof Map ? Object.fromEntries(part) : part)),
	);
}

describe('what the service says', () => {
	test.each(serverSamples)('$what', ({ wire, expect: wanted }) => {
		const decoded = decodeServerMessage(onWire(wire));
		if (wanted !== undefined) expect(plain(decoded)).toEqual(wanted);
		expect(decodeServerMessage(new TextEncoder().encode(onWire(wire)))).toEqual(decoded);
	});
});

describe('what clients say', () => {
	test.each(clientSamples)('$what', ({ wire, expect: wanted }) => {
		const decoded = decodeClientMessage(onWire(wire));
		const { ok, ...fault } = { code: undefined, field: undefined, ...wanted };
		expect(decoded.ok).toBe(ok);
		if (!decoded.ok) expect(decoded.error).toMatchObject(fault);
		else expect(decodeClientMessage(encodeClientMessage(decoded.value))).toEqual(decoded);
	});

	test('legacy rows of a task pass through untouched', () => {
		const legacy = clientSamples.find(({ what }) => what === 'a task with legacy rows');
		const decoded = decodeClientMessage(onWire(legacy?.wire));
		expect(decoded.ok && decoded.value).toEqual(legacy?.wire);
	});

	test('the samples hold every command of ours', () => {
		const sent = new Set(clientSamples.map(({ wire }) => wire.message_type));
		for (const option of ClientMessage.def.getter().def.options) {
			expect(sent).toContain(option.shape.message_type.def.values[0]);
		}
	});
});

describe('what the speech-to-text socket hears and says', () => {
	test.each(transcribedSamples)('$what', ({ direction, wire, expect: wanted }) => {
		if (direction === 'client') expect(wire).toEqual(FINALIZE);
		else expect(decodeSttMessage(onWire(wire))).toEqual(wanted);
	});
});

describe('what the text-to-speech socket hears and says', () => {
	test.each(spokenSamples)('$direction: $what', ({ direction, wire, expect: wanted }) => {
		if (direction === 'server') expect(decodeTtsMessage(onWire(wire))).toEqual(wanted);
		else expect(TtsClientMessage.safeParse(wire).success).toBe(wanted.ok);
	});
});

describe('answers about sessions', () => {
	test.each(sessionSamples)('$what', ({ reads, wire, expect: wanted }) => {
		expect(readAs(reads, wire)).toEqual(wanted);
	});

	function readAs(reads: string, wire: unknown): unknown {
		if (reads === 'create') {
			const read = readCreatedSession(wire);
			return read.ok ? read.value : read.error;
		}
		if (reads === 'read') {
			const read = readSession(wire);
			return read.ok ? { id: read.value.id } : read.error;
		}
		const { sessions, nextPageToken, recognised } = readSessionList(wire);
		expect(recognised).toBe(true);
		return { ids: sessions.map(({ id }) => id), nextPageToken };
	}
});

describe('refusals', () => {
	test.each(errorSamples)('$what', ({ status, asked, wire, expect: wanted }) => {
		expect(problemOfAnswer(status, wire, asked as Asked)).toEqual(wanted);
	});
});
