import { expect, test } from 'vitest';
import { SPEAKERS_VOICE } from '#shared/conversation/choices.ts';
import type { Task } from '#shared/protocol/client-message.ts';
import { choices, createRig, liveRig } from '#test/support/conversation-rig.ts';
import type { ScriptedTransport } from '#test/support/scripted-transport.ts';

const REFUSAL = { code: 'VALIDATION_ERROR', text: 'no', field: 'pipeline.translations.0.speech_generation' };

/** A service that offers no voice taken from the speaker. */
function refuses({ pipeline }: Task): boolean {
	return pipeline.translations.some(
		({ speech_generation: speech }) =>
			speech?.voice_cloning === true || speech?.voice_timbre_detection?.enabled === true,
	);
}

function speechSent(room: ScriptedTransport): unknown[] {
	return room.sent.flatMap((command) =>
		command.message_type === 'set_task'
			? command.data.pipeline.translations.map(({ speech_generation: speech }) => speech)
			: [],
	);
}

const like = { ...choices, voices: { es: SPEAKERS_VOICE.like } };
const byPitch = { ...choices, voices: { es: SPEAKERS_VOICE.byPitch } };
const FIXED = { voice_id: 'default_low' };
const BY_PITCH = {
	voice_id: 'default_low',
	voice_timbre_detection: {
		enabled: true,
		high_timbre_voices: ['default_high'],
		low_timbre_voices: ['default_low'],
	},
};

test.each(['current', 'older'] as const)(
	'a %s service that takes the voice from the speaker is asked for it once',
	async (generation) => {
		const rig = createRig({ rooms: [{ generation }] });
		rig.conversation.start(byPitch);
		await rig.clock.run(8000);
		expect([rig.view().phase, rig.view().notice]).toEqual(['live', null]);
		expect(speechSent(rig.room())).toEqual([BY_PITCH]);
	},
);

test.each(['current', 'older'] as const)(
	'a %s service that refuses it is asked for a fixed voice in the same session, and that is said',
	async (generation) => {
		const rig = createRig({ rooms: [{ generation, refuse: REFUSAL, refuses }] });
		rig.conversation.start(like);
		await rig.clock.run(10_000);
		expect(rig.view()).toMatchObject({ phase: 'live', notice: { kind: 'asked-without' } });
		expect(speechSent(rig.room())).toEqual([{ voice_cloning: true }, FIXED]);
		expect(rig.created()).toBe(1);
	},
);

test('a service that refuses the fixed voice as well is not asked a third time', async () => {
	const rig = createRig({ rooms: [{ refuse: REFUSAL }] });
	rig.conversation.start(like);
	await rig.clock.run(10_000);
	expect(rig.view()).toMatchObject({ phase: 'failed', problem: { kind: 'task-refused' } });
	expect(speechSent(rig.room())).toHaveLength(2);
});

test('chosen while it runs and refused: the rest of the change is taken, with a fixed voice', async () => {
	const rig = await liveRig({ rooms: [{ refuse: REFUSAL, refuses }] });
	rig.conversation.change({ ...choices, hear: ['fr'], voiceOf: 'fr', voices: { fr: SPEAKERS_VOICE.like } });
	await rig.clock.run(10_000);
	expect(rig.view()).toMatchObject({
		phase: 'live',
		change: 'applied',
		notice: { kind: 'asked-without' },
	});
	expect(speechSent(rig.room())).toEqual([FIXED, { voice_cloning: true }, FIXED]);
});

test('a new session after a loss is asked for what was in force', async () => {
	const rig = createRig({ rooms: [{ refuse: REFUSAL, refuses }] });
	rig.conversation.start(like);
	await rig.clock.run(10_000);
	rig.room().down({ kind: 'connection-lost', reason: 'gone' });
	await rig.clock.run(30_000);
	expect(rig.view().phase).toBe('live');
	expect(speechSent(rig.room())).toEqual([FIXED]);
});
