import { expect, test } from 'vitest';
import type { TranscriptMessage } from '#shared/protocol/server-message.ts';
import { createCaptions } from './captions.ts';
import { createMergedCaptions } from './merged-captions.ts';

const message = (id: string, text: string, final = true): TranscriptMessage => ({
	type: 'transcript',
	kind: 'source',
	final,
	language: 'en',
	text,
	transcriptionId: id,
	partId: '0',
	startS: null,
	endS: null,
});

function setUp() {
	const outgoing = createCaptions(undefined, 'outgoing');
	const incoming = createCaptions(undefined, 'incoming');
	const merged = createMergedCaptions({ outgoing, incoming });
	const texts = () => {
		const { rows } = merged.store.getState();
		return Array.from({ length: rows }, (_, index) => merged.row(index)?.source?.text);
	};
	merged.show(['outgoing', 'incoming']);
	outgoing.begin('meeting');
	incoming.begin('meeting');
	return { outgoing, incoming, merged, texts };
}

test('rows stand in the order in which they appeared and keep their place when they change', () => {
	const { outgoing, incoming, merged, texts } = setUp();
	outgoing.receive(message('a', 'Hel', false), 0);
	incoming.receive(message('a', 'Ho', false), 10);
	outgoing.receive(message('a', 'Hello'), 20);
	incoming.receive(message('b', 'Adiós'), 30);
	incoming.receive(message('a', 'Hola'), 40);
	expect(texts()).toEqual(['Hello', 'Hola', 'Adiós']);
	expect([0, 1, 2].map((index) => merged.row(index)?.leg)).toEqual([undefined, 'incoming', 'incoming']);
	expect(merged.finals().map(({ text }) => text)).toEqual(['Hello', 'Hola', 'Adiós']);
	expect(merged.store.getState().sided).toBe(true);
});

test('the same row is the same object until it changes', () => {
	const { outgoing, incoming, merged } = setUp();
	outgoing.receive(message('a', 'Hello'), 0);
	const first = merged.row(0);
	incoming.receive(message('a', 'Hola'), 10);
	expect(merged.row(0)).toBe(first);
});

test('every change of either is seen once', () => {
	const { outgoing, incoming, merged } = setUp();
	const before = merged.store.getState().version;
	outgoing.receive(message('a', 'Hello'), 0);
	incoming.receive(message('a', 'Hola'), 10);
	expect(merged.store.getState().version).toBe(before + 2);
});

test('clearing empties both', () => {
	const { outgoing, incoming, merged, texts } = setUp();
	outgoing.receive(message('a', 'Hello'), 0);
	incoming.receive(message('a', 'Hola'), 10);
	merged.clear();
	expect([texts(), merged.finals()]).toEqual([[], []]);
	incoming.receive(message('b', 'Otra vez'), 20);
	expect(texts()).toEqual(['Otra vez']);
});

test('what the other side said in the last conversation is not shown in one that has no other side', () => {
	const { outgoing, incoming, merged, texts } = setUp();
	incoming.receive(message('a', 'Hola'), 0);
	merged.show(['outgoing']);
	outgoing.begin('solo');
	outgoing.receive(message('a', 'Hello'), 10);
	expect(texts()).toEqual(['Hello']);
	expect(merged.finals().map(({ text }) => text)).toEqual(['Hello']);
	expect(merged.store.getState().sided).toBe(false);
});

test('a message costs the same at the first row and at the twenty thousandth', () => {
	const { outgoing, incoming, merged } = setUp();
	for (let index = 0; index < 10_000; index++) {
		outgoing.receive(message(`m${index}`, 'x'), index);
		incoming.receive(message(`m${index}`, 'y'), index);
	}
	expect(merged.store.getState().rows).toBe(20_000);
	// One look per message, at its row: the order grows and is never rebuilt.
	const first = merged.row(0);
	outgoing.receive(message('last', 'x'), 10_000);
	expect(merged.row(20_000)?.source?.text).toBe('x');
	expect(merged.row(0)).toBe(first);
});

test('what is copied of both stands in the order in which it was said, not one side after the other', () => {
	const { outgoing, incoming, merged } = setUp();
	outgoing.receive(message('a', 'Hello'), 1000);
	incoming.receive(message('a', 'Hola'), 2000);
	outgoing.receive(message('b', 'How are you?'), 3000);
	incoming.receive(message('b', 'Bien'), 4000);
	const texts = () => merged.finals().map(({ text }) => text);
	expect(texts()).toEqual(['Hello', 'Hola', 'How are you?', 'Bien']);
	merged.hold();
	expect(texts()).toEqual(['Hello', 'Hola', 'How are you?', 'Bien']);
});
