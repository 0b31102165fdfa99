import { afterAll, expect, test } from 'vitest';
import { createHeldKeys } from '#main/keys/held-keys.ts';
import { openX11Keyboard } from '#main/keys/x11.ts';
import { createSystemClock } from '#main/system-clock.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { createX11Keys, startDisplay } from '#test/support/display.ts';
import { eventually } from '#test/support/eventually.ts';
import { notRun } from '#test/support/not-run.ts';

const CONTROL = 0xffe3;
const SHIFT = 0xffe1;
const F4 = 0xffc1;
const clock = createSystemClock();
const display = await startDisplay();
const missing = 'missing' in display ? display.missing : null;
afterAll(async () => {
	if (!('missing' in display)) await display.stop();
});

test.skipIf(missing !== null && notRun('keys held in other programs', missing))(
	'keys of a real X server are held and let go of, whoever has the keyboard; with it, the hold ends',
	async () => {
		if ('missing' in display) return;
		const told: (boolean | 'changed')[] = [];
		const holding = createHeldKeys({
			open: () => openX11Keyboard(display.env, clock),
			clock,
			log: silentLogger,
			held: (down) => told.push(down),
			changed: () => told.push('changed'),
		});
		const keys = await createX11Keys(display.env);
		const seen = (wanted: typeof told) =>
			eventually(
				() => told,
				(now) => expect(now).toEqual(wanted),
			);
		holding.follow(['Mod+Shift+F4']);

		await keys.press(F4);
		await keys.release(F4);
		await keys.press(CONTROL);
		await keys.press(SHIFT);
		await keys.press(F4);
		await seen([true]);
		await keys.release(F4);
		await seen([true, false]);
		await keys.press(F4);
		await seen([true, false, true]);
		// A modifier let go of ends it, too.
		await keys.release(SHIFT);
		await seen([true, false, true, false]);
		await keys.press(SHIFT);
		await seen([true, false, true, false, true]);
		keys.close();
		await display.stop();
		await seen([true, false, true, false, true, false, 'changed']);
		expect(holding.works()).toBe(false);
	},
);

test('without an X server, or with one elsewhere, that is said', async () => {
	await expect(openX11Keyboard({ DISPLAY: ':65000' }, clock)).rejects.toThrow(/ENOENT/);
	await expect(openX11Keyboard({ DISPLAY: 'host:0' }, clock)).rejects.toThrow(/no X server of this computer/);
});
