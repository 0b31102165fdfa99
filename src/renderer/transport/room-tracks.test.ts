import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createVoiceTracks, voiceLanguage } from './room-tracks.ts';
import type { TransportEvent } from './transport.ts';

/** Tracks are only passed on, so names will do for them. */
function fakeTrack(name: string): MediaStreamTrack {
	return { id: name } as MediaStreamTrack;
}

function record() {
	const events: TransportEvent[] = [];
	return { events, voices: createVoiceTracks((event) => events.push(event)) };
}

describe('the language of a track', () => {
	test.each([
		['translation_es', 'es'],
		['translation_en-us', 'en-us'],
		['translation_zh-Hant', 'zh-hant'],
		['Translation_ES', 'es'],
		['translation_es_2', 'es_2'],
		['translation_', null],
		['microphone', null],
		['my_translation_es', null],
		['', null],
	])('%s is %s', (name, language) => {
		expect(voiceLanguage(name)).toBe(language);
	});
});

describe('voices', () => {
	test('a second track of a language takes over, and gives back when it goes', () => {
		const { events, voices } = record();
		const [first, second] = [fakeTrack('1'), fakeTrack('2')];
		voices.add('a', 'translation_es', first);
		voices.add('b', 'translation_es', second);
		voices.remove('b');
		voices.remove('a');
		expect(events).toEqual([
			{ type: 'voice', language: 'es', track: first },
			{ type: 'voice', language: 'es', track: second },
			{ type: 'voice', language: 'es', track: first },
			{ type: 'voice-gone', language: 'es' },
		]);
	});

	test('an older track that goes changes nothing', () => {
		const { events, voices } = record();
		voices.add('a', 'translation_es', fakeTrack('1'));
		voices.add('b', 'translation_es', fakeTrack('2'));
		voices.remove('a');
		expect(events).toHaveLength(2);
	});

	test('a renamed track leaves its language and comes under the other', () => {
		const { events, voices } = record();
		const track = fakeTrack('1');
		voices.add('a', 'translation_es', track);
		voices.add('a', 'translation_fr', track);
		voices.add('a', 'something', track);
		expect(events).toEqual([
			{ type: 'voice', language: 'es', track },
			{ type: 'voice-gone', language: 'es' },
			{ type: 'voice', language: 'fr', track },
			{ type: 'voice-gone', language: 'fr' },
		]);
	});

	test('the same again says nothing', () => {
		const { events, voices } = record();
		const track = fakeTrack('1');
		voices.add('a', 'translation_es', track);
		voices.add('a', 'translation_es', track);
		voices.remove('unknown');
		expect(events).toHaveLength(1);
	});

	test('whatever happens, a listener ends up with the newest track of each language that is published', () => {
		const name = fc.constantFrom('translation_es', 'translation_fr', 'translation_es_x', 'other');
		const move = fc.oneof(
			fc.record({ do: fc.constant('add' as const), id: fc.nat(4), name, track: fc.nat(2) }),
			fc.record({ do: fc.constant('remove' as const), id: fc.nat(4) }),
		);
		fc.assert(
			fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
				const heard = new Map<string, string>();
				const voices = createVoiceTracks((event) => {
					if (event.type === 'voice') heard.set(event.language, event.track.id);
					if (event.type === 'voice-gone') heard.delete(event.language);
				});
				const published = new Map<number, { name: string; track: string }>();
				for (const one of moves) {
					const before = published.get(one.id);
					if (one.do === 'remove') {
						published.delete(one.id);
						voices.remove(String(one.id));
						continue;
					}
					const track = `${one.id}-${one.track}`;
					if (before?.name === one.name && before.track === track) continue;
					published.delete(one.id);
					published.set(one.id, { name: one.name, track });
					voices.add(String(one.id), one.name, fakeTrack(track));
				}
				const expected = new Map<string, string>();
				for (const { name: published_, track } of published.values()) {
					const language = voiceLanguage(published_);
					if (language !== null) expected.set(language, track);
				}
				expect(heard).toEqual(expected);
				voices.clear();
				expect(heard).toEqual(new Map());
			}),
		);
	});
});
