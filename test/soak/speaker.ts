import type { ServerMessage } from '#shared/protocol/server-message.ts';
import type { ManualClock } from '#test/support/manual-clock.ts';
import type { Dice } from '#test/support/random.ts';
import type { ScriptedTransport } from '#test/support/scripted-transport.ts';

export interface SpeakerParts {
	readonly clock: ManualClock;
	readonly dice: Dice;
	/** A final text that reached a listener. */
	readonly delivered: (text: string) => void;
	/** Somebody listens to this link. */
	readonly isHeard: () => boolean;
}

let sentences = 0;

/**
 * An interpreter behind a scripted link that says one sentence after another while its task runs, with every
 * bad habit of the real one: texts twice, a partial after its final, ids that begin anew with each stream, a
 * translation before its source. Ends with the link.
 */
export function letSpeak(link: ScriptedTransport, { clock, dice, delivered, isHeard }: SpeakerParts): void {
	let number = 0;
	let task: ScriptedTransport['task'] = 'none';

	function say(message: ServerMessage): void {
		if (link.state !== 'open' || link.script.silent || !isHeard()) return;
		if (message.type === 'transcript' && message.final) delivered(message.text);
		link.say(message);
	}

	function transcript(
		id: number,
		kind: 'source' | 'translation',
		text: string,
		final: boolean,
	): ServerMessage {
		return {
			type: 'transcript',
			kind,
			final,
			text,
			language: kind === 'source' ? 'en' : 'es',
			transcriptionId: `t${id}`,
			partId: '0',
			startS: null,
			endS: null,
		};
	}

	function sentence(): void {
		// A task set anew numbers its texts anew; the older generation does not say so, and its ids are random.
		if (task === 'none' && link.script.generation === 'current') number = 0;
		number += 1;
		sentences += 1;
		const [id, source, translation] = [number, `said ${sentences}`, `dicho ${sentences}`];
		const messages = [
			transcript(id, 'source', 'sa', false),
			transcript(id, 'source', 'said', false),
			transcript(id, 'source', source, true),
			transcript(id, 'translation', 'di', false),
			transcript(id, 'translation', translation, true),
		];
		if (dice.chance(0.1)) messages.splice(2, 0, ...messages.splice(4, 1));
		if (dice.chance(0.1))
			messages.push(transcript(id, 'source', source, true), transcript(id, 'source', 'sai', false));
		if (dice.chance(0.05))
			messages.push({ type: 'unknown', name: 'news' }, { type: 'queue-level', levels: new Map() });
		let atMs = 0;
		for (const message of messages) {
			clock.after(atMs, () => say(message));
			atMs += dice.below(400);
		}
	}

	function loop(): void {
		clock.after(dice.between(500, 6000), () => {
			if (link.state === 'closed') return;
			// A successor hears nothing until it takes over, and the link before it nothing from then on.
			if (link.task === 'running' && link.microphones.at(-1) !== null) sentence();
			task = link.task;
			loop();
		});
	}
	loop();
}
