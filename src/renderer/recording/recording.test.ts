import { expect, onTestFinished, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { type ConversationView, idleView } from '#renderer/conversation/conversation.ts';
import type { Host } from '#renderer/host.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createManualClock } from '#test/support/manual-clock.ts';
import { createRecording } from './recording.ts';

function rig(ended: Result<void, Problem> = ok()) {
	const asked: string[] = [];
	const did: string[] = [];
	/** Main's view of each recording, in order. */
	const seen: string[][] = [];
	let mains: MessagePort | null = null;
	const clock = createManualClock();
	const store = createStore<ConversationView>()(() => idleView);
	const host: Pick<Host, 'ask'> = {
		ask: async (name) => {
			asked.push(name);
			if (name === 'recording.end') {
				await later();
				seen.at(-1)?.push('file complete');
			}
			return (name === 'recording.begin' ? ok('/home/ada/Conversation.wav') : ended) as never;
		},
	};
	const recording = createRecording({
		host,
		clock,
		conversation: { store },
		receiver: {
			expect(_, came) {
				const [control, capture, voice] = [new MessageChannel(), new MessageChannel(), new MessageChannel()];
				onTestFinished(() => {
					for (const { port1, port2 } of [control, capture, voice])
						for (const end of [port1, port2]) end.close();
				});
				mains = control.port2;
				const events: string[] = [];
				seen.push(events);
				control.port2.addEventListener('close', () => events.push('port closed'));
				control.port2.start();
				came({ control: control.port1, capture: capture.port1, voice: voice.port1 });
				return () => {};
			},
		},
		recorder: {
			start: (_, startedMs) => void did.push(`start ${startedMs}`),
			async stop() {
				did.push('stop');
				await later();
				seen.at(-1)?.push('last of the sound');
			},
		},
	});
	const show = (view: Partial<ConversationView>) => store.setState(view);
	const mainSays = (said: unknown) => mains?.postMessage(said);
	return { recording, clock, asked, did, seen, show, mainSays, state: () => recording.store.getState() };
}

/** Long enough for a port that was closed to be seen closed. */
const later = () => new Promise<void>((done) => setTimeout(done, 20));

test('a recording that waits for Start begins when the conversation is live, and counts from the press', async () => {
	const { recording, clock, did, show, state, asked } = rig();
	await recording.begin('Conversation.wav');
	expect(state()).toMatchObject({ state: 'armed', path: '/home/ada/Conversation.wav' });
	await clock.run(5000);
	show({ phase: 'preparing' });
	await clock.run(2000);
	expect(did).toEqual([]);
	show({ phase: 'live', liveSinceMs: clock.now() });
	expect([did, state().state]).toEqual([[`start ${clock.now() - 2000}`], 'recording']);
	show({ phase: 'ending' });
	expect(did).toHaveLength(1);
	show({ phase: 'idle', liveSinceMs: null });
	await expect.poll(() => state()).toMatchObject({ state: 'off', saved: true });
	expect(asked).toEqual(['recording.begin', 'recording.end']);
	expect(did.at(-1)).toBe('stop');
});

test.each(['failed', 'idle'] as const)(
	'a Start that ends %s before it is live leaves it waiting for the next',
	async (phase) => {
		const { recording, clock, did, show, state, asked } = rig();
		await recording.begin('Conversation.wav');
		for (const next of ['preparing', 'connecting', 'ending', phase] as const) show({ phase: next });
		expect([state().state, asked, did]).toEqual(['armed', ['recording.begin'], []]);
		show({ phase: 'preparing' });
		show({ phase: 'live', liveSinceMs: clock.now() });
		expect([state().state, did.length]).toEqual(['recording', 1]);
	},
);

test('begun in a conversation it records at once; while that is still starting, once it is live', async () => {
	const first = rig();
	first.show({ phase: 'live', liveSinceMs: 0 });
	for (const ms of [77_000, 60_000]) {
		await first.clock.run(ms);
		await first.recording.begin('Conversation.wav');
		// Without the silence of what was said before.
		expect(first.did.at(-1)).toBe(`start ${first.clock.now()}`);
		expect(first.state()).toMatchObject({ state: 'recording', sinceMs: first.clock.now() });
		await first.recording.end();
		expect(first.state()).toMatchObject({ state: 'off', sinceMs: null });
	}
	const second = rig();
	second.show({ phase: 'starting' });
	await second.recording.begin('Conversation.wav');
	expect(second.state().state).toBe('armed');
	second.show({ phase: 'live', liveSinceMs: 1 });
	expect(second.state().state).toBe('recording');
});

test.each(['main cannot write it any more', 'its sound is lost'] as const)(
	'one that breaks off, because %s, is not called saved: why it ended is told',
	async (why) => {
		const { recording, did, show, state, asked, mainSays } = rig();
		show({ phase: 'live', liveSinceMs: 0 });
		await recording.begin('Conversation.wav');
		const problem = { kind: 'storage-failed', what: '/home/ada/Conversation.wav' } as const;
		if (why === 'its sound is lost') recording.lost();
		else mainSays({ type: 'failed', problem });
		await expect.poll(() => state()).toMatchObject({ state: 'off', problem });
		expect([did.at(-1), asked]).toEqual(['stop', ['recording.begin', 'recording.end']]);
	},
);

test('each of two recordings has its own file, which is complete before main sees its port closed', async () => {
	const { recording, seen, show, state } = rig();
	for (let time = 1; time <= 2; time += 1) {
		await recording.begin('Conversation.wav');
		expect(state()).toMatchObject({ state: 'armed', saved: false });
		show({ phase: 'preparing' });
		show({ phase: 'live', liveSinceMs: time });
		show({ phase: 'idle', liveSinceMs: null });
		await expect.poll(() => seen.at(-1)).toContain('port closed');
		expect(seen).toHaveLength(time);
		expect(seen.at(-1)).toEqual(['last of the sound', 'file complete', 'port closed']);
		expect(state()).toMatchObject({ state: 'off', saved: true });
	}
});

test('one whose end could not be written is told as well', async () => {
	const problem = { kind: 'storage-failed', what: 'Conversation.wav' } as const;
	const { recording, show, state } = rig(err(problem));
	show({ phase: 'live', liveSinceMs: 0 });
	await recording.begin('Conversation.wav');
	await recording.end();
	expect(state()).toMatchObject({ state: 'off', problem });
});
