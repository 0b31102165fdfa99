import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSettings } from '#main/settings/settings.ts';
import { openSettingsFile } from '#main/settings/settings-file.ts';
import { checkRestBase } from '#shared/service-address.ts';
import { settingsShape } from '#shared/settings/schema.ts';
import { createManualClock } from '#test/support/manual-clock.ts';

/*
 * A settings file may come from another computer, or from somebody who means harm: it is the only thing that is
 * imported (there are no themes, no language packs, no plugins). It holds values of the schema or nothing.
 */

// A busy machine takes its time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let folder = '';
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'dragoman-junk-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const names = Object.keys(settingsShape) as (keyof typeof settingsShape)[];
const inherited = Object.getOwnPropertyNames(Object.prototype);

/** What is in force after a start with this file; every value is one of the schema. */
function started(text: string) {
	writeFileSync(join(folder, 'settings.json'), text);
	const settings = createSettings(openSettingsFile(folder, createManualClock()), {}, {});
	const values = settings.values();
	expect(Object.keys(values).sort()).toEqual([...names].sort());
	for (const name of names)
		expect([name, settingsShape[name].safeParse(values[name]).success]).toEqual([name, true]);
	expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(inherited);
	return values;
}

test('no setting is a file, a script or a style that would be loaded: each text is a name, a code or an address', () => {
	for (const text of [
		'javascript:alert(1)',
		'file:///etc/passwd',
		'<script>x</script>',
		'data:text/html,x',
	]) {
		const all = started(JSON.stringify(Object.fromEntries(names.map((name) => [name, text]))));
		// Each address is dropped, or refused before any request.
		for (const name of ['apiUrl', 's2sUrl', 'sttUrl', 'ttsUrl'] as const)
			expect(all[name] === '' || checkRestBase(all[name]) !== null).toBe(true);
		expect(all.proxyAddress).toBe('');
		expect(all.interfaceLanguage).toBe('system');
		expect(all.theme).toBe('system');
	}
});

test('colours of the captions over other windows hold no style of another kind', () => {
	for (const color of [
		'url(https://evil.example/x)',
		'red;background:url(x)',
		'expression(1)',
		'var(--x)',
		'#12345g',
	]) {
		const { overlay } = started(JSON.stringify({ overlay: { shown: true, color, background: color } }));
		expect([overlay.color, overlay.background]).toEqual(['#ffffff', '#000000']);
	}
});

test('nothing of a key is taken from the file, whatever it is called', () => {
	const stolen = { apiKey: 'stolen', key: 'stolen', voiceToken: 'stolen', DRAGOMAN_API_KEY: 'stolen' };
	expect(JSON.stringify(started(JSON.stringify({ ...stolen, account: stolen })))).not.toContain('stolen');
});
