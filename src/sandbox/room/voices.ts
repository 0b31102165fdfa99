import { randomInt } from 'node:crypto';
import { OPUS_CLOCK_HZ, opusDurationMs, SILENCE } from '#sandbox/speech/codec.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import { newSid } from './signal.ts';

/** One audio track of the translator, as seen by clients. */
export interface VoiceTrack {
	readonly sid: string;
	readonly language: string;
	/** `translation_<target code>` (protocol 4.3). */
	readonly name: string;
	listen(heard: (packet: PacedPacket) => void): () => void;
}

interface Entry {
	readonly voice: VoiceTrack;
	readonly lane: Lane;
}

/** The current voices; exactly one per language, or two with the fault `doubled`. */
export function createVoiceTracks(pacer: Pacer, doubled: () => boolean) {
	let entries: readonly Entry[] = [];

	function open(language: string): Entry {
		const listeners = createListeners<[packet: PacedPacket]>();
		const lane = pacer.lane((packet) => {
			listeners.tell(packet);
		});
		const voice: VoiceTrack = {
			sid: newSid('TR'),
			language,
			name: `translation_${language}`,
			listen: listeners.listen,
		};
		return { voice, lane };
	}

	return {
		all: (): readonly VoiceTrack[] => entries.map((entry) => entry.voice),
		/** Sets the languages that have voices; true if that changed anything. */
		set(languages: readonly string[]): boolean {
			const wanted = [...new Set(languages)].flatMap((language) =>
				doubled() ? [language, language] : [language],
			);
			const left = [...entries];
			const next = wanted.map((language) => {
				const index = left.findIndex((entry) => entry.voice.language === language);
				return index < 0 ? open(language) : (left.splice(index, 1)[0] ?? open(language));
			});
			const changed = left.length > 0 || next.length !== entries.length;
			for (const entry of left) entry.lane.close();
			entries = next;
			return changed;
		},
		/** Plays nothing in a language without a voice: `done` resolves at once. */
		speak(language: string, packets: readonly Uint8Array[]): Speech {
			const speeches = entries
				.filter((entry) => entry.voice.language === language)
				.map((entry) => entry.lane.speak(packets));
			return {
				done: Promise.all(speeches.map((speech) => speech.done)).then(() => {}),
				drop() {
					for (const speech of speeches) speech.drop();
				},
			};
		},
		close(): void {
			for (const entry of entries) entry.lane.close();
			entries = [];
		},
	};
}

/** One outgoing Opus packet, numbered for RTP. */
export interface PacedPacket {
	readonly payload: Uint8Array;
	readonly sequence: number;
	/** 48 kHz clock. */
	readonly timestamp: number;
	/** First packet of speech after silence (RFC 3551 4.1). */
	readonly marker: boolean;
}

/** A voice that sends without a break: silence between phrases, phrases one after the other. */
interface Lane {
	speak(packets: readonly Uint8Array[]): Speech;
	close(): void;
}

/** If sending is later than this (the computer slept), the missed time is skipped, not sent in a burst. */
const MAX_BEHIND_MS = 400;

interface Phrase {
	readonly packets: readonly Uint8Array[];
	next: number;
	finish(): void;
}

interface LaneState {
	readonly phrases: Phrase[];
	readonly send: (packet: PacedPacket) => void;
	dueMs: number;
	sequence: number;
	timestamp: number;
	speaking: boolean;
}

export type Pacer = ReturnType<typeof createPacer>;

/** Sends packets in real time by the clock, so that late timers do not add up; one timer for all. */
export function createPacer(clock: Clock) {
	const lanes = new Set<LaneState>();
	let timer: Cancel | null = null;

	function schedule(): void {
		timer?.();
		timer = null;
		let nextMs = Number.POSITIVE_INFINITY;
		for (const lane of lanes) nextMs = Math.min(nextMs, lane.dueMs);
		if (nextMs === Number.POSITIVE_INFINITY) return;
		timer = clock.after(Math.max(0, nextMs - clock.now()), tick);
	}

	function tick(): void {
		const now = clock.now();
		for (const lane of lanes) {
			skipMissed(lane, now);
			while (lane.dueMs <= now && lanes.has(lane)) sendNext(lane);
		}
		schedule();
	}

	function lane(send: (packet: PacedPacket) => void): Lane {
		const state: LaneState = {
			phrases: [],
			send,
			dueMs: clock.now(),
			sequence: randomInt(0x8000),
			timestamp: randomInt(0x7fff_ffff),
			speaking: false,
		};
		lanes.add(state);
		schedule();
		return {
			speak: (packets) =>
				lanes.has(state) ? enqueue(state, packets) : { done: Promise.resolve(), drop() {} },
			close() {
				if (!lanes.delete(state)) return;
				for (const phrase of state.phrases.splice(0)) phrase.finish();
				schedule();
			},
		};
	}

	return {
		lane,
		close(): void {
			for (const state of lanes) for (const phrase of state.phrases.splice(0)) phrase.finish();
			lanes.clear();
			schedule();
		},
	};
}

type Speech = ReturnType<typeof enqueue>;

function enqueue(lane: LaneState, packets: readonly Uint8Array[]) {
	const { promise, resolve } = Promise.withResolvers<void>();
	const phrase: Phrase = { packets, next: 0, finish: resolve };
	if (packets.length === 0) resolve();
	else lane.phrases.push(phrase);
	return {
		/** Resolves when the last packet was sent or dropped, or its lane was closed. Never rejects. */
		done: promise,
		/** Drops unsent packets at once. */
		drop(): void {
			const index = lane.phrases.indexOf(phrase);
			if (index >= 0) lane.phrases.splice(index, 1);
			resolve();
		},
	};
}

function skipMissed(lane: LaneState, now: number): void {
	const behindMs = now - lane.dueMs;
	if (behindMs <= MAX_BEHIND_MS) return;
	lane.dueMs = now;
	lane.timestamp = (lane.timestamp + Math.round((behindMs * OPUS_CLOCK_HZ) / 1000)) >>> 0;
}

function sendNext(lane: LaneState): void {
	const phrase = lane.phrases[0];
	const spoken = phrase?.packets[phrase.next];
	const payload = spoken ?? SILENCE;
	const durationMs = opusDurationMs(payload) || 20;
	const speaking = spoken !== undefined;
	lane.send({
		payload,
		sequence: lane.sequence,
		timestamp: lane.timestamp,
		marker: speaking && !lane.speaking,
	});
	lane.speaking = speaking;
	lane.sequence = (lane.sequence + 1) & 0xffff;
	lane.timestamp = (lane.timestamp + (durationMs * OPUS_CLOCK_HZ) / 1000) >>> 0;
	lane.dueMs += durationMs;
	if (!phrase) return;
	phrase.next += 1;
	if (phrase.next < phrase.packets.length) return;
	lane.phrases.shift();
	phrase.finish();
}
