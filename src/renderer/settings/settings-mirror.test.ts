import { expect, test } from 'vitest';
import type { Host } from '#renderer/host.ts';
import type { SettingsSnapshot } from '#shared/host/contract.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { defaultSettings } from '#shared/settings/schema.ts';
import { createSettingsMirror } from './settings-mirror.ts';

const snapshot = (revision: number, captionSize: number): SettingsSnapshot => ({
	revision,
	values: { ...defaultSettings, captionSize },
	origins: { captionSize: 'setting' },
	problem: null,
});

/** A main process whose answers the test gives one by one. */
function pretendMain() {
	const waiting: ((answer: Result<unknown, Problem>) => void)[] = [];
	let tell: (payload: SettingsSnapshot) => void = () => {};
	const host = {
		ask: () => new Promise((resolve) => waiting.push(resolve)),
		listen: (_: string, heard: typeof tell) => {
			tell = heard;
			return () => {};
		},
	} as unknown as Host;
	return {
		host,
		announce: (payload: SettingsSnapshot) => tell(payload),
		async answer(answer: Result<unknown, Problem>) {
			waiting.shift()?.(answer);
			for (let round = 0; round < 5; round++) await Promise.resolve();
		},
	};
}

function started() {
	const main = pretendMain();
	const mirror = createSettingsMirror(main.host);
	const size = () => mirror.store.getState().values.captionSize;
	return { main, mirror, size };
}

test('shows a change at once, and what main made of it afterwards', async () => {
	const { main, mirror, size } = started();
	void mirror.write({ captionSize: 99 });
	expect(size()).toBe(99);
	await main.answer(ok(snapshot(1, 64)));
	expect(size()).toBe(64);
});

test('an older announcement changes nothing', () => {
	const { main, size } = started();
	main.announce(snapshot(5, 30));
	main.announce(snapshot(4, 20));
	expect(size()).toBe(30);
});

test('while two writes are under way the newer value stays on screen', async () => {
	const { main, mirror, size } = started();
	void mirror.write({ captionSize: 20 });
	void mirror.write({ captionSize: 21 });
	await main.answer(ok(snapshot(1, 20)));
	expect(size()).toBe(21);
	await main.answer(ok(snapshot(2, 21)));
	expect(size()).toBe(21);
});

test('a refused write restores the value in force and shows why', async () => {
	const { main, mirror, size } = started();
	void mirror.write({ captionSize: 40 });
	await main.answer(err({ kind: 'storage-failed', what: 'settings' }));
	expect(size()).toBe(defaultSettings.captionSize);
	expect(mirror.store.getState().problem).toEqual({ kind: 'storage-failed', what: 'settings' });
});

test('a first reading that fails leaves the defaults, usable, with the problem', async () => {
	const { main, mirror } = started();
	void mirror.load();
	await main.answer(err({ kind: 'bug', where: 'host' }));
	expect(mirror.store.getState()).toMatchObject({ loaded: true, problem: { kind: 'bug' } });
});
