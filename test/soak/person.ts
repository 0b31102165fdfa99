import type { Problem } from '#shared/problem.ts';
import { choices } from '#test/support/conversation-rig.ts';
import type { TransportScript } from '#test/support/scripted-transport.ts';
import type { World } from './world.ts';

const LOSSES: readonly Problem[] = [
	{ kind: 'connection-lost', reason: 'x' },
	{ kind: 'room-refused', reason: 'token expired' },
	{ kind: 'room-unreachable', reason: 'x' },
	{ kind: 'opened-elsewhere' },
];
const LINKS: readonly Partial<TransportScript>[] = [
	{ open: 'never' },
	{ open: { kind: 'room-refused', reason: 'token expired' } },
	{ open: { kind: 'room-unreachable', reason: 'x' } },
	{ silent: true },
	{ packets: false },
	{ lose: 2 },
	{ readyMs: 6000 },
	{ tailMs: null },
	{ generation: 'older' },
	{ refuse: { code: 'VALIDATION_ERROR', text: 'x', field: 'y' } },
];

type Act = (world: World) => void | Promise<void>;

const open = (world: World) => world.inUse().filter(({ state }) => state === 'open');
const start: Act = (world) => {
	if (!['idle', 'failed'].includes(world.view().phase)) return;
	const { dice, weather } = world;
	weather.travel = dice.pick([
		{ route: 'webrtc', mayFallBack: true },
		{ route: 'webrtc', mayFallBack: true },
		{ route: 'webrtc', mayFallBack: false },
		{ route: 'websocket', mayFallBack: false },
	]);
	world.forget();
	world.conversation.start(choices);
};

/** Everything a person, a device, the network or the service can do, by name and how often. */
export const acts: readonly (readonly [name: string, often: number, act: Act])[] = [
	['start', 10, start],
	['prepare', 1, ({ conversation }) => conversation.prepare()],
	['stop', 1, ({ conversation }) => conversation.stop()],
	['stop now', 1, ({ conversation }) => void conversation.stopNow()],
	['pause', 2, ({ conversation }) => conversation.pause()],
	['resume', 4, ({ conversation }) => conversation.resume()],
	['mute', 3, ({ conversation, dice }) => conversation.setMuted(dice.chance(0.5))],
	['catch up', 1, ({ conversation }) => conversation.catchUp()],
	['connect again', 1, ({ conversation }) => conversation.reconnect()],
	['back to a room', 2, ({ conversation }) => conversation.backToWebrtc()],
	[
		'another language',
		3,
		({ conversation, dice }) => {
			const language = dice.pick(['es', 'fr', 'de', 'ja']);
			conversation.change({ ...choices, hear: [language], voiceOf: language });
		},
	],
	['another microphone', 2, (world) => world.replaceMicrophone()],
	['no microphone', 0.5, (world) => world.loseMicrophone()],
	['silent microphone', 1, ({ microphoneSays }) => microphoneSays({ type: 'silent', device: 'one' })],
	['another output', 1, ({ mixerSays }) => mixerSays({ type: 'output-switched', from: 'one', to: '' })],
	['voice', 3, ({ mixerSays, dice }) => mixerSays({ type: 'voice-active', active: dice.chance(0.5) })],
	[
		'link lost',
		3,
		(world) =>
			open(world).forEach(
				(link) => void link.tell({ type: 'link', link: { state: 'down', problem: world.dice.pick(LOSSES) } }),
			),
	],
	[
		'link restored',
		4,
		async (world) => {
			const [link] = open(world);
			link?.tell({ type: 'link', link: { state: 'restoring', cause: 'x' } });
			await world.clock.run(world.dice.between(200, 25_000));
			if (link?.state === 'open') link.tell({ type: 'link', link: { state: 'up' } });
		},
	],
	[
		'no packets for a while',
		2,
		async (world) => {
			const [link] = open(world);
			if (!link) return;
			link.script.packets = false;
			await world.clock.run(world.dice.between(1000, 12_000));
			link.script.packets = true;
		},
	],
	[
		'server wants to be left',
		1,
		(world) => open(world).forEach((link) => void link.tell({ type: 'leaving' })),
	],
	['session cannot be kept', 1, (world) => world.expire()],
	['task forgotten', 2, (world) => open(world).forEach((link) => void link.forgetTask())],
	[
		'error storm',
		2,
		async (world) => {
			const [link] = open(world);
			for (let error = 0; error < 300; error += 1) {
				link?.say({
					type: 'error',
					code: world.dice.pick(['SERVICE_TIMEOUT', 'UNKNOWN_ERROR']),
					text: 'x',
					field: '',
				});
				if (error % 100 === 0) await world.clock.run(100);
			}
		},
	],
	[
		'session deleted by the service',
		1,
		({ service, dice }) => void service.sessions.delete(dice.pick([...service.sessions.keys(), ''])),
	],
	['network back', 1, ({ announce }) => announce('power.changed', { event: 'resume' })],
	[
		'sleep',
		0.5,
		async ({ announce, clock, dice, keeper }) => {
			announce('power.changed', { event: 'suspend' });
			keeper.suspend();
			await clock.run(dice.pick([5000, 60_000, 700_000]));
			keeper.resume();
			announce('power.changed', { event: 'resume' });
		},
	],
	[
		'no service',
		1,
		({ weather, clock, dice }) =>
			void Object.assign(weather, { outageUntilMs: clock.now() + dice.between(2000, 90_000) }),
	],
	[
		'bad links',
		2,
		({ weather, dice }) =>
			void Object.assign(weather, { link: { ...dice.pick(LINKS), openMs: dice.between(20, 9000) } }),
	],
	[
		'good links',
		5,
		({ weather, dice }) =>
			void Object.assign(weather, {
				link: { openMs: dice.between(20, 400), readyMs: dice.between(100, 2000) },
			}),
	],
	['bad service', 1, ({ weather }) => void Object.assign(weather, { faulty: 0.3 })],
	['good service', 3, ({ weather }) => void Object.assign(weather, { faulty: 0 })],
	['full disk', 1, ({ weather }) => void Object.assign(weather, { historyFails: 0.7 })],
	['room on the disk', 4, ({ weather }) => void Object.assign(weather, { historyFails: 0 })],
	[
		'microphone refused',
		0.5,
		({ weather }) => void Object.assign(weather, { microphone: { kind: 'microphone-denied' } }),
	],
	['microphone allowed', 4, ({ weather }) => void Object.assign(weather, { microphone: null })],
];
const total = acts.reduce((sum, [, often]) => sum + often, 0);

export function nextAct(roll: number): (typeof acts)[number] {
	let left = roll * total;
	for (const one of acts) {
		left -= one[1];
		if (left < 0) return one;
	}
	throw new Error('a roll is below 1');
}
