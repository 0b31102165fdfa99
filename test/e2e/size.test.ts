import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtSize, heaviest } from '#scripts/bundle/size.ts';
import { partOf } from '#scripts/bundle/window.ts';
import en from '#shared/i18n/en.json' with { type: 'json' };

const root = join(import.meta.dirname, '..', '..');
/** Bytes of gzip. What React takes of the first is 68 kB. */
const BEFORE_START = 206_000;
const WHOLE = 583_000;
/** Each is a request to the main process. */
const FIRST_FILES = 4;

test('the window does not grow without anybody noticing', () => {
	const { size, chunks } = builtSize(root);
	const named = heaviest(chunks, [...size.files.keys()]).join('\n');
	expect(size.beforeStart, heaviest(chunks, size.first).join('\n')).toBeLessThanOrEqual(BEFORE_START);
	expect(size.whole, named).toBeLessThanOrEqual(WHOLE);
	expect(size.first.length, size.first.join('\n')).toBeLessThanOrEqual(FIRST_FILES);
});

test('what the first picture does without comes later: LiveKit, other pages, other languages', () => {
	const { size, chunks } = builtSize(root);
	const modules = size.first.flatMap((file) => Object.keys(chunks[file]?.modules ?? {}));
	const all = Object.values(chunks).flatMap((chunk) => Object.keys(chunk.modules));
	const early = (part: string) => modules.filter((id) => id.includes(part));
	for (const part of [
		// LiveKit is built from its sources.
		'src/room/Room.ts',
		'node_modules/@livekit/protocol/',
		'transport/livekit-room',
		'react-aria-components/dist/private/ComboBox',
		'react-aria-components/dist/private/Popover',
		'react-aria/dist/private/focus/FocusScope',
		'diagnosis/window-looks',
		'react-aria-components/dist/private/Modal',
		'sound/sound-panel',
		'settings/settings-page',
		'history/history-page',
		'voices/voices-page',
		'diagnosis/diagnosis-page',
		'renderer/glossaries/',
		'face-to-face/face-page',
		'src/shared/facts/',
	]) {
		expect(early(part), part).toEqual([]);
		// A name that no module has would say nothing.
		expect(
			all.some((id) => id.includes(part)),
			part,
		).toBe(true);
	}
	const words = modules.filter((id) => id.includes('src/shared/i18n/') && /\.(json|words)$/.test(id));
	expect(words).toEqual([]);
	// The captions over other windows share a part of the code, but not the page.
	const overlay = Object.values(chunks).find(({ entry }) => entry === 'overlay');
	expect(overlay?.imports.filter((file) => /[\\/]first-/.test(file))).toEqual([]);
	// The small zod everywhere, never the whole.
	expect(early('node_modules/zod/v4/classic')).toEqual([]);
});

/** Shown only once a conversation runs or something failed: by then the second file is there. */
const LATER =
	/^(?:problem|recovery|silence|away|echo|others|recording|notice|legs|callRoute|captions\.(?:saved|showInFolder)|settings\.foundNone)\b/;

test('the code before Start asks for no text of the second file, but where it shows what comes later', () => {
	const { size, chunks } = builtSize(root);
	const first = JSON.parse(JSON.stringify(partOf(en, 'first'))) as typeof en;
	const keysOf = (texts: object, above = ''): string[] =>
		Object.entries(texts).flatMap(([key, text]) =>
			typeof text === 'string'
				? [above + key.replace(/_(?:one|other)$/, '')]
				: keysOf(text, `${above}${key}.`),
		);
	const [all, here] = [new Set(keysOf(en)), new Set(keysOf(first))];
	const files = size.first.flatMap((file) => Object.keys(chunks[file]?.modules ?? {}));
	const asked = files
		.filter((id) => /^src\/renderer\/.*\.tsx?$/.test(id))
		.flatMap((id) => {
			const code = readFileSync(join(root, id), 'utf8');
			const named = [...code.matchAll(/(?:\bt\(|[?:=[] )'(\w+\.[\w.-]+)'/g)].map(([, key = '']) => key);
			const begun = [...code.matchAll(/\bt\(`(\w+\.[\w.-]*)\$/g)].flatMap(([, start = '']) =>
				[...all].filter((key) => key.startsWith(start)),
			);
			return [...named, ...begun].filter((key) => all.has(key)).map((key) => `${id}: ${key}`);
		});
	expect(asked.length).toBeGreaterThan(100);
	const late = asked.filter((found) => {
		const key = found.split(': ')[1] ?? '';
		return !here.has(key) && !LATER.test(key);
	});
	expect(late).toEqual([]);
});
