import { describe, expect, it, vi } from 'vitest';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import { choices, createRig, liveRig, nothingOpen } from '#test/support/conversation-rig.ts';

const complaint: ServerMessage = { type: 'error', code: 'PIPELINE_BROKEN', text: 'It is broken', field: '' };

describe('a storm of errors', () => {
	it('is one notice with a number, shown a few times and not a thousand', async () => {
		const rig = await liveRig();
		let shown = 0;
		rig.conversation.store.subscribe(() => {
			shown += 1;
		});
		for (let number = 0; number < 1000; number++) rig.room().say(complaint);
		await rig.clock.run(1500);
		expect(rig.view().notice).toEqual({
			kind: 'service-warning',
			code: 'PIPELINE_BROKEN',
			text: 'It is broken',
			times: 1000,
		});
		expect(shown).toBeLessThan(10);
		rig.room().say(complaint);
		expect(rig.view().notice).toMatchObject({ times: 1001 });
		expect(rig.view().phase).toBe('live');
	});

	it('that was dismissed does not come back with its number', async () => {
		const rig = await liveRig();
		for (let number = 0; number < 10; number++) rig.room().say(complaint);
		rig.conversation.dismissNotice();
		await rig.clock.run(1500);
		expect(rig.view().notice).toBe(null);
	});
});

it('says that a chosen voice does not exist, while the conversation goes on', async () => {
	const rig = await liveRig();
	rig.room().say({ type: 'warning', code: 'VOICE_NOT_FOUND', text: 'No such voice' });
	const notice = { kind: 'service-warning', code: 'VOICE_NOT_FOUND', text: 'No such voice' };
	expect(rig.view()).toMatchObject({ phase: 'live', notice });
	// Once: it does not count as said twice.
	expect(rig.view().notice).toEqual(notice);
});

describe('messages nobody knows', () => {
	it('change nothing and are told at the end of the conversation', async () => {
		const info = vi.fn();
		const rig = await liveRig({ log: { info } });
		for (const name of ['weather', 'weather', '(not-json)']) rig.room().say({ type: 'unknown', name });
		expect(rig.view()).toMatchObject({ phase: 'live', notice: null });
		await rig.conversation.stopNow();
		expect(info).toHaveBeenCalledWith('unknown messages', { 'type weather': 2, 'type (not-json)': 1 });
	});
});

describe('what should never throw', () => {
	it('a microphone that throws is told as our fault, and nothing stays open', async () => {
		const rig = createRig();
		rig.microphone.open = () => Promise.reject(new TypeError('no'));
		rig.conversation.start(choices);
		await rig.clock.run(1000);
		expect(rig.view().problem).toEqual({ kind: 'bug', where: 'microphone.open' });
		expect(rig.open()).toEqual(nothingOpen);
	});

	it('a transport that cannot be made is told as our fault', async () => {
		const rig = createRig();
		rig.script.rooms = new Proxy([], {
			get() {
				throw new TypeError('no');
			},
		});
		rig.conversation.start(choices);
		await rig.clock.run(1000);
		expect(rig.view().problem).toMatchObject({ kind: 'bug' });
		expect(rig.open()).toEqual(nothingOpen);
	});

	it('a transport whose every call throws is left all the same', async () => {
		const rig = await liveRig();
		const room = rig.room();
		for (const name of ['send', 'stats', 'setMicrophone', 'close'] as const) {
			room[name] = () => {
				throw new TypeError('no');
			};
		}
		rig.conversation.pause();
		await rig.clock.run(2000);
		await rig.conversation.stopNow();
		expect(rig.view().phase).toBe('idle');
		expect(rig.open().sessions).toBe(0);
	});
});

describe('stop now', () => {
	const last = (rig: ReturnType<typeof createRig>) => rig.room().sent.at(-1);
	const forced = { message_type: 'end_task', data: { force: true } };

	it('drops the tail and leaves at once', async () => {
		const rig = await liveRig();
		await rig.conversation.stopNow();
		expect(last(rig)).toEqual(forced);
		expect(rig.open()).toEqual(nothingOpen);
	});

	it('is also a second Stop, while the last words are spoken', async () => {
		const rig = await liveRig({ rooms: [{ tailMs: null }] });
		rig.conversation.stop();
		await rig.clock.run(4000);
		rig.conversation.stop();
		await rig.clock.run(0);
		expect(last(rig)).toEqual(forced);
		expect(rig.open()).toEqual(nothingOpen);
	});

	it('right after a Stop only leaves: another end_task would be refused', async () => {
		const rig = await liveRig({ rooms: [{ tailMs: null }] });
		rig.conversation.stop();
		await rig.clock.run(500);
		rig.conversation.stop();
		await rig.clock.run(0);
		expect(last(rig)).toEqual({ message_type: 'end_task', data: {} });
		expect(rig.open()).toEqual(nothingOpen);
	});

	it('does not wait for a command that never leaves', async () => {
		const rig = await liveRig();
		const room = rig.room();
		room.send = () => new Promise(() => {});
		void rig.conversation.stopNow();
		await rig.clock.run(100);
		expect(rig.open()).toEqual(nothingOpen);
	});
});
