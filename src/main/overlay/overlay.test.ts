import { expect, test } from 'vitest';
import type { Input } from '#shared/host/contract.ts';
import type { Cancel } from '#shared/lib/clock.ts';
import { abilitiesOf } from '#shared/overlay/placement.ts';
import { OVERLAY_SIZE_PX, type OverlayName } from '#shared/overlay/style.ts';
import { defaultSettings, type Settings, settingsShape } from '#shared/settings/schema.ts';
import { createFakeOverlayWindow, createFakeScreens, laptop, monitor } from '#test/support/fake-overlay.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createOverlays } from './overlay.ts';

function start(overlay: Partial<Settings['overlay']> = {}, rest: Partial<Settings> = {}) {
	let values: Settings = { ...defaultSettings, ...rest, overlay: { ...defaultSettings.overlay, ...overlay } };
	const listeners = new Set<() => void>();
	const settings = {
		values: () => values,
		write(patch: Partial<Settings>) {
			values = { ...values, ...patch };
			for (const heard of [...listeners]) heard();
		},
		listen(heard: () => void): Cancel {
			listeners.add(heard);
			return () => void listeners.delete(heard);
		},
	};
	const clock = createManualClock();
	const screens = createFakeScreens([laptop, monitor]);
	const windows = { mine: createFakeOverlayWindow(), audience: createFakeOverlayWindow() };
	const window = windows.mine;
	const made = createOverlays({
		settings,
		abilities: abilitiesOf({ shell: 'electron', platform: 'win32', wayland: false }),
		locales: () => ['en'],
		screens,
		open: (name, ...opening) => windows[name].open(name, ...opening),
		clock,
	});
	made.begin();
	const change = (patch: Partial<Settings['overlay']>) =>
		settings.write({ overlay: { ...values.overlay, ...patch } });
	return { overlay: made, settings, change, clock, screens, window, audience: windows.audience, listeners };
}
const frame = (key: string) => ({ rows: [{ key, lit: false, pieces: [] }] });

test('it is there while the setting says so, also from the start', () => {
	const { window, change } = start();
	expect(window.box()).toBeNull();
	change({ shown: true });
	expect(window.box()).not.toBeNull();
	change({ shown: false });
	expect(window.box()).toBeNull();
	expect(start({ shown: true }).window.box()).not.toBeNull();
});

test('it opens above the buttons of the main window, each time where they are then', () => {
	const { window, change, screens } = start();
	for (const y of [640, 500]) {
		screens.cover({ x: 220, y, width: 1000, height: 260 });
		change({ shown: true });
		const box = window.box();
		expect((box?.y ?? 0) + (box?.height ?? 0)).toBe(y);
		change({ shown: false });
	}
});

test('captions go to it, and one that opens its page late or again has the last ones', async () => {
	const { overlay, window, change } = start({ shown: true });
	await overlay.answers['overlay.show'](frame('a'));
	await overlay.answers['overlay.show'](frame('b'));
	expect(window.did.filter(([name]) => name === 'overlay.frame')).toHaveLength(2);
	expect(await overlay.answers['overlay.read']({ which: 'mine' })).toMatchObject({
		value: { frame: frame('b') },
	});
	change({ shown: false });
	expect(await overlay.answers['overlay.read']({ which: 'mine' })).toMatchObject({
		value: { frame: { rows: [] } },
	});
});

test('without it captions are kept nowhere', async () => {
	const { overlay, window } = start();
	await overlay.answers['overlay.show'](frame('a'));
	expect(await overlay.answers['overlay.read']({ which: 'mine' })).toMatchObject({
		value: { frame: { rows: [] } },
	});
	expect(window.did).toEqual([]);
});

test('a change of style is announced at once with a higher revision; other settings change nothing', async () => {
	const { window, change, settings } = start({ shown: true });
	change({ size: 40 });
	const looks = () => window.did.filter(([name]) => name === 'overlay.look');
	expect(looks()).toMatchObject([['overlay.look', { revision: 2, style: { size: 40 } }]]);
	expect(window.did).toContainEqual(['apply', 40, false]);
	settings.write({ voiceVolume: 0.5 });
	expect(looks()).toHaveLength(1);
	const before = window.box()?.height ?? 0;
	change({ size: 80, locked: true });
	expect(window.did).toContainEqual(['apply', 80, true]);
	// Larger letters need a larger window.
	expect(window.box()?.height).toBeGreaterThan(before);
	expect(looks().at(-1)).toMatchObject(['overlay.look', { revision: 3 }]);
});

test('closed by its X, the setting says so; closed with the program, it opens again with the next', () => {
	const first = start({ shown: true });
	first.window.pressX();
	expect(first.settings.values().overlay.shown).toBe(false);
	first.change({ shown: true });
	expect(first.window.box()).not.toBeNull();
	first.overlay.close();
	expect(first.window.box()).toBeNull();
	expect(first.settings.values().overlay.shown).toBe(true);
	expect(first.listeners.size).toBe(0);
});

test('where it was dragged to is kept once it rests there, by display', async () => {
	const { window, clock, settings, change } = start({ shown: true });
	window.drag({ x: 100, y: 200 });
	window.drag({ x: 110, y: 210 });
	expect(settings.values().overlayPlaces).toEqual([]);
	await clock.advance(400);
	expect(settings.values().overlayPlaces).toEqual([{ display: '1@2', x: 110, y: 185 }]);
	window.drag({ x: 1500, y: 50 });
	await clock.advance(400);
	expect(settings.values().overlayPlaces.map(({ display }) => display)).toEqual(['2@1', '1@2']);
	change({ shown: false });
	change({ shown: true });
	expect(window.box()).toMatchObject({ x: 1500, y: 50 });
});

test('dragged back to where it was, or closed before it rests, it is kept where it was', async () => {
	const { window, clock, settings, change } = start({ shown: true });
	const first = window.box() ?? {};
	window.drag({ x: 100, y: 200 });
	await clock.advance(200);
	window.drag(first);
	await clock.advance(1000);
	expect(settings.values().overlayPlaces).toEqual([]);
	window.drag({ x: 100, y: 200 });
	change({ shown: false });
	await clock.advance(1000);
	expect(settings.values().overlayPlaces).toEqual([]);
});

test('dragged over the edge of its display it comes back whole; a system that keeps it there is asked once', async () => {
	const { window, clock, settings } = start({ shown: true });
	const places = () => window.did.filter(([name]) => name === 'place').length;
	const { width = 0 } = window.box() ?? {};
	window.drag({ x: laptop.workArea.x - 200, y: 200 });
	await clock.advance(399);
	expect(window.box()?.x).toBe(laptop.workArea.x - 200);
	await clock.advance(1);
	expect(window.box()).toMatchObject({ x: laptop.workArea.x, y: 200, width });
	const before = places();
	window.drag({ x: laptop.workArea.x - 200, y: 200 });
	await clock.advance(400);
	expect(places()).toBe(before);
	window.drag({ x: laptop.workArea.x + 50, y: 200 });
	await clock.advance(400);
	expect(places()).toBe(before);
	expect(settings.values().overlayPlaces[0]?.x).toBe(50);
});

test('a display that goes takes nothing along: it moves to the other, and back when the display returns', async () => {
	const { window, clock, screens, settings } = start({ shown: true });
	window.drag({ x: 1500, y: 50 });
	await clock.advance(400);
	const places = settings.values().overlayPlaces;
	screens.change([laptop]);
	expect(window.box()?.x).toBeLessThan(1440);
	await clock.advance(1000);
	// A move of our own is not the user's choice.
	expect(settings.values().overlayPlaces).toEqual(places);
	screens.change([laptop, monitor]);
	expect(window.box()).toMatchObject({ x: 1500, y: 50 });
});

test('locked, a move is not the user’s and is not kept', async () => {
	const { window, clock, settings } = start({ shown: true, locked: true });
	window.drag({ x: 5 });
	await clock.advance(1000);
	expect(settings.values().overlayPlaces).toEqual([]);
});

test('its buttons lock it, size its text within limits, and close it', async () => {
	const { overlay, settings } = start({ shown: true, size: 95 });
	const act = (what: Input<'overlay.act'>['act']) =>
		overlay.answers['overlay.act']({ which: 'mine', act: what });
	await act('larger');
	expect(settings.values().overlay.size).toBe(96);
	await act('smaller');
	expect(settings.values().overlay.size).toBe(94);
	for (let at = 94; at > OVERLAY_SIZE_PX.smallest - 4; at -= 2) await act('smaller');
	expect(settings.values().overlay.size).toBe(OVERLAY_SIZE_PX.smallest);
	await act('lock');
	await act('close');
	expect(settings.values().overlay).toMatchObject({ locked: true, shown: false });
});

test('the other window, for the audience, is there by its own setting, with its own look and the same captions', async () => {
	const { overlay, settings, window, audience, change } = start();
	settings.write({ audienceOverlay: { ...defaultSettings.audienceOverlay, shown: true } });
	expect([window.box(), audience.box() === null]).toEqual([null, false]);
	await overlay.answers['overlay.show'](frame('a'));
	expect(audience.did.at(-1)).toEqual(['overlay.frame', frame('a')]);
	change({ shown: true });
	await overlay.answers['overlay.show'](frame('b'));
	for (const one of [window, audience]) expect(one.did.at(-1)).toEqual(['overlay.frame', frame('b')]);
	const look = async (which: OverlayName) => {
		const read = await overlay.answers['overlay.read']({ which });
		return read.ok ? read.value.look.style : null;
	};
	await overlay.answers['overlay.act']({ which: 'audience', act: 'larger' });
	expect(await look('audience')).toMatchObject({ size: 42 });
	expect(await look('mine')).toMatchObject({ size: 28 });
	expect(audience.did.at(-1)).toMatchObject(['overlay.look', { style: { size: 42 } }]);
	expect(window.did.at(-1)).toEqual(['overlay.frame', frame('b')]);
	await overlay.answers['overlay.act']({ which: 'audience', act: 'close' });
	expect([window.box() === null, audience.box()]).toEqual([false, null]);
});

test('each has places of its own, and never placed they do not cover each other', async () => {
	const { settings, window, audience, clock, change } = start({ shown: true });
	settings.write({ audienceOverlay: { ...defaultSettings.audienceOverlay, shown: true } });
	const [mine, theirs] = [window.box(), audience.box()];
	if (!mine || !theirs) throw new Error('they are not open');
	expect(theirs.y + theirs.height).toBeLessThan(mine.y);
	audience.drag({ x: 1500, y: 60 });
	await clock.advance(400);
	expect(settings.values().overlayPlaces).toEqual([]);
	expect(settings.values().audienceOverlayPlaces).toMatchObject([{ display: '2@1', x: 60, y: 60 }]);
	change({ shown: false });
	change({ shown: true });
	expect(window.box()).toEqual(mine);
});

test('whatever the settings say, the one for the audience is never to be hidden from screen shares', async () => {
	const stored = settingsShape.audienceOverlay.parse({ shown: true, hidden: true, size: 50 });
	const { overlay } = start({}, { audienceOverlay: stored });
	const read = await overlay.answers['overlay.read']({ which: 'audience' });
	expect(read).toMatchObject({ value: { look: { style: { size: 50 } } } });
	expect(read.ok && read.value.look.style.hidden).toBeUndefined();
	expect(defaultSettings.overlay.hidden).toBe(true);
});

test('captions of a page that is gone are not shown on', async () => {
	const { overlay, window } = start({ shown: true });
	await overlay.answers['overlay.show'](frame('a'));
	overlay.pageGone();
	expect(window.did.at(-1)).toEqual(['overlay.frame', { rows: [] }]);
});

test('captions of a page that is gone are not shown on to the audience either', async () => {
	const { overlay, settings, window, audience } = start({ shown: true });
	settings.write({ audienceOverlay: { ...defaultSettings.audienceOverlay, shown: true } });
	await overlay.answers['overlay.show'](frame('a'));
	overlay.pageGone();
	for (const one of [window, audience]) expect(one.did.at(-1)).toEqual(['overlay.frame', { rows: [] }]);
	expect(await overlay.answers['overlay.read']({ which: 'audience' })).toMatchObject({
		value: { frame: { rows: [] } },
	});
});
