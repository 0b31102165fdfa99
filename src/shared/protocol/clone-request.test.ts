import { expect, test } from 'vitest';
import { CloneRequest } from './clone-request.ts';

type Path = readonly (string | number)[];
const sample = {
	filename: 'ana.wav',
	mime_type: 'audio/wav',
	lang_code: 'es-mx',
	display_name: 'Ana',
	description: 'words',
	item_id: '1',
	denoise: true,
	speech_normalization: false,
};
const whole = {
	data: {
		name: 'Ana',
		samples: [sample],
		description: 'words',
		labels: { gender: 'female', age_group: 'adult', mood: 'calm' },
		skip_external_voice: true,
		attributes: ['warm'],
	},
};

/** The request with another value at a path; `undefined` takes it away. */
function changed([name, ...rest]: Path, value: unknown, within: unknown = whole): unknown {
	if (name === undefined) return value;
	const copy: Record<string, unknown> | unknown[] = Array.isArray(within)
		? [...within]
		: { ...(within as object) };
	Reflect.set(copy, name, changed(rest, value, Reflect.get(within as object, name)));
	return copy;
}
const pathsRefused = (path: Path, value: unknown): readonly string[] | null => {
	const parsed = CloneRequest.safeParse(changed(path, value));
	return parsed.success ? null : parsed.error.issues.map((issue) => issue.path.join('.'));
};
const SAMPLE = ['data', 'samples', 0] as const;

// One test: what a schema is made of is made once.
test('a request is taken with all there may be, or with what there must be; each value is of its kind and within its limits', () => {
	expect(CloneRequest.safeParse(whole)).toEqual({ success: true, data: whole });
	const least = {
		data: {
			name: 'Ana',
			samples: [{ filename: 'a.w', mime_type: 'video/mp4', lang_code: 'auto', item_id: 'i' }],
		},
	};
	expect(CloneRequest.safeParse(least)).toEqual({ success: true, data: least });

	const name = ['data', 'name'];
	const filename = [...SAMPLE, 'filename'];
	const item = [...SAMPLE, 'item_id'];
	const taken: readonly (readonly [Path, unknown])[] = [
		[name, 'x'.repeat(3)],
		[name, 'x'.repeat(64)],
		[name, 'Голос (1) a_b-c.d'],
		[name, 'e\u0301e\u0301'],
		[filename, 'a.w'],
		[filename, 'x'.repeat(255)],
		[filename, `it's "my" (voice) 1-2_3.wav`],
		[item, 'x'],
		[item, 'x'.repeat(36)],
		[[...SAMPLE, 'lang_code'], 'yue'],
		[[...SAMPLE, 'mime_type'], 'image/webp'],
		[['data', 'attributes'], []],
		[['data', 'labels'], {}],
	];
	for (const [path, value] of taken) expect([path, pathsRefused(path, value)]).toEqual([path, null]);

	const refused: readonly (readonly [Path, unknown])[] = [
		[name, 'x'.repeat(2)],
		[name, 'x'.repeat(65)],
		// Two characters of two units each.
		[name, '𝒜𝒷'],
		[name, 'Ana!'],
		[name, '!Ana'],
		[name, undefined],
		[name, 5],
		[filename, 'aw'],
		[filename, 'x'.repeat(256)],
		[filename, 'ana/a.wav'],
		[filename, 'Ána.wav'],
		[filename, 5],
		[filename, undefined],
		[item, ''],
		[item, 'x'.repeat(37)],
		[item, undefined],
		[[...SAMPLE, 'lang_code'], 'xx'],
		[[...SAMPLE, 'lang_code'], 'EN'],
		[[...SAMPLE, 'lang_code'], undefined],
		[[...SAMPLE, 'mime_type'], 'audio/ogg'],
		[[...SAMPLE, 'mime_type'], undefined],
		[[...SAMPLE, 'display_name'], 5],
		[[...SAMPLE, 'description'], 5],
		[[...SAMPLE, 'denoise'], 'yes'],
		[[...SAMPLE, 'speech_normalization'], 'yes'],
		[['data', 'samples'], []],
		[
			['data', 'samples'],
			[sample, sample],
		],
		[['data', 'samples'], sample],
		[['data', 'description'], 5],
		[['data', 'labels'], 'x'],
		[['data', 'labels', 'gender'], 5],
		[['data', 'labels', 'age_group'], 5],
		[['data', 'labels', 'mood'], 5],
		[['data', 'skip_external_voice'], 'no'],
		[['data', 'attributes'], 'warm'],
		[['data', 'attributes', 0], 5],
		[['data'], undefined],
	];
	for (const [path, value] of refused) {
		const faults = pathsRefused(path, value);
		expect([path, value, faults]).toEqual([path, value, expect.arrayContaining([path.join('.')])]);
	}

	// Strict: what we do not know we do not say.
	for (const holder of [[], ['data'], [...SAMPLE], ['data', 'labels']])
		expect(pathsRefused([...holder, 'more'], 1)).toEqual([holder.join('.')]);
});
