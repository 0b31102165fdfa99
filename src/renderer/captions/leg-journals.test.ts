import { expect, test } from 'vitest';
import type { Segment } from '#shared/captions/segment.ts';
import type { Journal } from './journal.ts';
import { createLegJournals } from './leg-journals.ts';

function setUp() {
	const did: string[] = [];
	const journal: Journal = {
		begin: (mode) => void did.push(`begin ${mode}`),
		goOn: (mode) => void did.push(`go on ${mode}`),
		take: ({ text }, { typed, leg }) => void did.push(`${leg} ${typed ? 'typed' : 'said'} ${text}`),
		end: () => void did.push('end'),
		forget: () => void did.push('forget'),
		settled: async () => void did.push('settled'),
	};
	return { did, ...createLegJournals(journal) };
}

const text = (words: string) => ({ text: words }) as Segment;
const said = { typed: false };

test('two legs are one conversation: begun with the first, ended with the last, each text with its leg', () => {
	const { did, outgoing, incoming } = setUp();
	outgoing.begin('meeting');
	incoming.begin('meeting');
	outgoing.take(text('a'), said);
	incoming.take(text('b'), said);
	outgoing.end();
	incoming.take(text('c'), said);
	incoming.end();
	incoming.end();
	expect(did).toEqual(['begin meeting', 'outgoing said a', 'incoming said b', 'incoming said c', 'end']);
});

test('a leg that comes back belongs to the conversation that still runs', () => {
	const { did, outgoing, incoming } = setUp();
	outgoing.begin('meeting');
	incoming.begin('meeting');
	incoming.end();
	incoming.goOn('meeting');
	outgoing.end();
	incoming.end();
	expect(did).toEqual(['begin meeting', 'end']);
	// Both have ended: it goes on with the first, and is still one.
	incoming.goOn('meeting');
	outgoing.goOn('meeting');
	outgoing.end();
	incoming.end();
	expect(did.slice(2)).toEqual(['go on meeting', 'end']);
});

test('a leg that begins twice without an end begins another conversation', () => {
	const { did, outgoing, incoming } = setUp();
	outgoing.begin('meeting');
	incoming.begin('meeting');
	outgoing.begin('solo');
	incoming.end();
	outgoing.end();
	expect(did).toEqual(['begin meeting', 'begin solo', 'end']);
});

test('either leg may forget the conversation, and ask whether all of it is kept', async () => {
	const { did, outgoing, incoming } = setUp();
	outgoing.forget();
	await incoming.settled();
	expect(did).toEqual(['forget', 'settled']);
});
