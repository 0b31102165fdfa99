import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TWO_LINKS_MS } from './conversation.ts';
import { acts } from './person.ts';
import { createWorld, type World } from './world.ts';

/** What a person knows of a conversation without looking at it: what they requested. */
interface Model {
	/** Start was pressed and Stop was not, as far as the conversation did not end by itself. */
	wanted: boolean;
	muted: boolean;
	/** When one link at most was last in use, on the clock of the world. */
	onlyOneMs: number;
}

type Command = fc.AsyncCommand<Model, World>;

/** Between two looks. */
const LONGEST_ACT_MS = 21_000;
const STOPPED = ['idle', 'failed'];
const LISTENING = ['preparing', 'connecting', 'starting', 'live', 'switching', 'reconnecting'];

/** What holds after every command, whatever went wrong before. */
async function expectSound(model: Model, world: World): Promise<void> {
	// A last command may still leave.
	await world.clock.run(100);
	const { phase, paused, muted } = world.view();
	const links = world.inUse().length;
	const isOpen = world.isMicrophoneOpen();
	expect(muted).toBe(model.muted);
	// A session that wants to be left is used beside its successor, for a while.
	expect(links).toBeLessThanOrEqual(2);
	if (links < 2) model.onlyOneMs = world.clock.now();
	expect(world.clock.now() - model.onlyOneMs).toBeLessThanOrEqual(TWO_LINKS_MS + LONGEST_ACT_MS);
	expect(
		world.openSessions(),
		'one in use, and one that is being deleted or was made ahead',
	).toBeLessThanOrEqual(2);
	if (STOPPED.includes(phase)) expect([links, isOpen], phase).toEqual([0, false]);
	if (isOpen) expect([LISTENING.includes(phase), paused]).toEqual([true, false]);
	if (!model.wanted) expect([...STOPPED, 'ending']).toContain(phase);
	if (STOPPED.includes(phase)) model.wanted = false;
	const texts = world.conversation.captions
		.finals()
		.flatMap(({ kind, text }) => (kind === 'lost' ? [] : text));
	expect(new Set(texts).size).toBe(texts.length);
	expect(world.delivered().filter((text) => !texts.includes(text))).toEqual([]);
}

function command(
	name: string,
	act: (world: World) => unknown,
	learn: (model: Model, world: World) => void = () => {},
): Command {
	return {
		check: () => true,
		async run(model, world) {
			learn(model, world);
			await act(world);
			await expectSound(model, world);
		},
		toString: () => name,
	};
}

const begins = (model: Model, world: World) => {
	if (STOPPED.includes(world.view().phase)) model.wanted = true;
};
const ends = (model: Model) => {
	model.wanted = false;
};
/** By name, what the model learns from it; the world does the rest. */
const learnt: Readonly<Record<string, (model: Model, world: World) => void>> = {
	start: begins,
	stop: ends,
	'stop now': ends,
};

const anyAct = fc
	.constantFrom(...acts.filter(([name]) => name !== 'mute'))
	.map(([name, , act]) => command(name, act, learnt[name]));
const start = acts.find(([name]) => name === 'start');
const commands = fc.commands(
	[
		anyAct,
		anyAct,
		fc.constant(command('start', (world) => start?.[2](world), begins)),
		fc.boolean().map((muted) =>
			command(
				`mute ${muted}`,
				({ conversation }) => conversation.setMuted(muted),
				(model) => {
					model.muted = muted;
				},
			),
		),
		fc.integer({ min: 1, max: 20_000 }).map((ms) => command(`${ms} ms`, ({ clock }) => clock.run(ms))),
	],
	{ maxCommands: 40 },
);

test('conversation, journal and keeper against what was asked of them: whatever happens, it can be stopped, and nothing is left', {
	timeout: 600_000,
}, async () => {
	const runs = Number(process.env.DRAGOMAN_TEST_RUNS ?? 60);
	await fc.assert(
		fc.asyncProperty(fc.nat(), commands, async (seed, all) => {
			const world = createWorld(seed);
			const model: Model = { wanted: false, muted: false, onlyOneMs: world.clock.now() };
			await fc.asyncModelRun(() => ({ model, real: world }), all);
			Object.assign(world.weather, {
				faulty: 0,
				outageUntilMs: 0,
				historyFails: 0,
				link: {},
				microphone: null,
			});
			void world.conversation.stopNow();
			await world.clock.run(4000);
			expect([world.view().phase, world.isMicrophoneOpen(), world.inUse()]).toEqual(['idle', false, []]);
			await world.close();
			expect([world.clock.pending, world.listeners(), world.openSessions()]).toEqual([0, 0, 0]);
			const recorded = new Set(world.recorded());
			expect([...world.everDelivered()].filter((text) => !recorded.has(text))).toEqual([]);
		}),
		{ numRuns: runs },
	);
});
