import { expect, test } from 'vitest';
import { defaultSettings } from '#shared/settings/schema.ts';
import { type ChangesParts, followChanges, followChoice } from './services.ts';

type Heard = (...args: unknown[]) => void;

/** The services, of which the test says what changes by itself, and what they and the window were told. */
function rig() {
	const did: unknown[] = [];
	const listeners: (readonly [of: string, heard: Heard])[] = [];
	const hear = (of: string) => (heard: (...args: never[]) => void) => {
		listeners.push([of, heard as Heard]);
		return () => {};
	};
	const note = (what: string) => () => void did.push(what);
	const services = {
		account: { listen: hear('account') },
		keeper: { cool: note('cool'), onLost: hear('lost'), onExpiring: hear('expiring') },
		history: { listen: hear('history'), choiceChanged: note('choice') },
		voices: { listen: hear('voices'), accountChanged: note('voices of another account') },
		diagnosis: { listen: hear('diagnosis') },
		routing: { listen: hear('routing') },
		systemSound: { listen: hear('system sound') },
		guests: { listen: hear('guests') },
		models: { listen: hear('models') },
	};
	followChanges({
		services: services as unknown as ChangesParts['services'],
		settings: { values: () => defaultSettings, listen: hear('settings') },
		announce: (name, payload) => void did.push([name, payload]),
		refresh: note('refresh'),
	});
	function says(of: string, ...args: unknown[]): void {
		for (const [name, heard] of listeners) if (name === of) heard(...args);
	}
	return { did, says };
}

test.each([
	['history', 'history.changed'],
	['voices', 'voice.changed'],
	['diagnosis', 'diagnosis.changed'],
	['routing', 'routing.changed'],
	['system sound', 'system-sound.changed'],
	['guests', 'guests.changed'],
	['models', 'models.changed'],
] as const)('the window is told what changes of %s: %s', (of, name) => {
	const { did, says } = rig();
	const state = { revision: 7 };
	says(of, state);
	expect(did).toEqual([[name, state]]);
});

test('the window is told which session is lost, and which cannot be kept and for how long it still lives', () => {
	const { did, says } = rig();
	const problem = { kind: 'session-lost', cause: 'deleted' };
	says('lost', 'a-handle', problem);
	says('expiring', 'another', 45_000);
	expect(did).toEqual([
		['session.lost', { handle: 'a-handle', problem }],
		['session.expiring', { handle: 'another', leftMs: 45_000 }],
	]);
});

test('a change of account is announced to the window and to the cloned voices', () => {
	const { did, says } = rig();
	says('account', { revision: 2 });
	expect(did).toEqual([['account.changed', { revision: 2 }], 'voices of another account']);
});

test('menu, tray and global keys follow the settings', () => {
	const { did, says } = rig();
	const snapshot = { revision: 3 };
	says('settings', snapshot);
	expect(did.filter((one) => one !== 'cool')).toEqual(['refresh', ['settings.changed', snapshot]]);
});

test('only another choice is told, not every setting', () => {
	let values: { history: 'ask' | 'days'; historyDays: number } = { history: 'ask', historyDays: 30 };
	let heard: () => void = () => {};
	let told = 0;
	const end = followChoice(
		{
			values: () => values,
			listen(tell) {
				heard = tell;
				return () => {
					heard = () => {};
				};
			},
		},
		{ choiceChanged: () => void told++ },
	);
	heard();
	expect(told).toBe(0);
	values = { history: 'days', historyDays: 30 };
	heard();
	heard();
	expect(told).toBe(1);
	values = { history: 'days', historyDays: 7 };
	heard();
	expect(told).toBe(2);
	end();
	values = { history: 'ask', historyDays: 7 };
	heard();
	expect(told).toBe(2);
});
