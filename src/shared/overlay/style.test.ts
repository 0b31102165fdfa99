import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultSettings } from '#shared/settings/schema.ts';
import { abilitiesOf, usesWayland } from './abilities.ts';
import { ENOUGH_CONTRAST, windowSize, withOpacity, worstContrast } from './style.ts';

test('contrast is that of the worst screen behind it', () => {
	const white = { color: '#ffffff', background: '#000000' };
	expect(worstContrast({ ...white, opacity: 1 })).toBeCloseTo(21);
	expect(worstContrast({ ...white, opacity: 0 })).toBe(1);
	expect(worstContrast({ ...white, opacity: 0.2 })).toBeLessThan(ENOUGH_CONTRAST);
	expect(worstContrast({ color: '#777777', background: '#888888', opacity: 1 })).toBeLessThan(1.5);
	expect(worstContrast(defaultSettings.overlay)).toBeGreaterThan(ENOUGH_CONTRAST);
});

test('a more opaque background never reads worse when the text is lighter or darker than all of it', () => {
	fc.assert(
		fc.property(
			fc.float({ min: 0, max: 1, noNaN: true }),
			fc.float({ min: 0, max: 1, noNaN: true }),
			(a, b) => {
				const at = (opacity: number) => worstContrast({ color: '#ffffff', background: '#101010', opacity });
				expect(at(Math.max(a, b))).toBeGreaterThanOrEqual(at(Math.min(a, b)) - 1e-9);
			},
		),
	);
});

test('the window is as high as its lines, whatever is said, and never higher than the display', () => {
	const display = { width: 1000, height: 800 };
	const of = (lines: number, size = 20) => windowSize({ lines, size, width: 50 }, display);
	expect(of(3).height - of(2).height).toBe(27);
	expect(of(8, 96).height).toBe(800);
	expect(of(1).width).toBe(500);
});

test('a colour and its opacity for CSS', () => {
	expect(withOpacity('#ff8000', 0.255)).toBe('rgb(255 128 0 / 26%)');
});

test('what each system allows', () => {
	const electron = (platform: string, wayland = false) =>
		abilitiesOf({ shell: 'electron', platform, wayland });
	expect(electron('win32')).toEqual({ floats: true, clickThrough: true, hides: 'yes', because: null });
	expect(electron('darwin')).toMatchObject({ floats: true, hides: 'partly' });
	expect(electron('linux')).toMatchObject({ floats: true, hides: 'no' });
	expect(electron('linux', true)).toMatchObject({ floats: false, because: 'wayland' });
	expect(abilitiesOf({ shell: 'stand-in', platform: 'win32', wayland: false })).toMatchObject({
		because: 'browser',
	});
});

test('Wayland is what the session is, unless the switch says otherwise', () => {
	expect(usesWayland({ XDG_SESSION_TYPE: 'wayland' }, '')).toBe(true);
	expect(usesWayland({ XDG_SESSION_TYPE: 'wayland' }, 'x11')).toBe(false);
	expect(usesWayland({ XDG_SESSION_TYPE: 'x11' }, '')).toBe(false);
	expect(usesWayland({ XDG_SESSION_TYPE: 'x11' }, 'wayland')).toBe(true);
});
