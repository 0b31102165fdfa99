import { expect, test } from 'vitest';
import { type SystemSilenceSigns, systemSilence } from './system-silence.ts';

const playing = { name: 'Zoom', playing: true };
const stopped = { name: 'mpv', playing: false };
const muted = { name: 'VLC', playing: true, muted: true };
const fine: SystemSilenceSigns = { way: 'recorder', applications: [playing], wanted: null, zeros: false };

test.each([
	['something plays and is heard', {}, null],
	['nothing is there', { applications: [] }, 'nothing-playing'],
	['a player stands still', { applications: [stopped] }, 'nothing-playing'],
	['it plays, and only zeros come', { zeros: true }, 'dead'],
	['all that plays is turned off', { applications: [muted, stopped], zeros: true }, 'muted'],
	['one of two is turned off', { applications: [muted, playing] }, null],
	['the wanted one is gone, whatever else plays', { wanted: 'Teams' }, 'gone'],
	[
		'the wanted one stands still while another plays',
		{ wanted: 'mpv', applications: [playing, stopped] },
		'nothing-playing',
	],
	[
		'the wanted one is turned off while another plays',
		{ wanted: 'VLC', applications: [playing, muted] },
		'muted',
	],
	['nobody knows what plays', { way: 'loopback', applications: [] }, null],
	[
		'nobody knows what plays, and only zeros come',
		{ way: 'loopback', applications: [], zeros: true },
		'dead',
	],
	['it cannot be heard at all', { way: 'none', applications: [], zeros: true }, null],
] as const)('%s', (_, signs, expected) => {
	expect(systemSilence({ ...fine, ...signs })).toBe(expected);
});
