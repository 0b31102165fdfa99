import { createSessionClient } from '#main/service/session-client.ts';
import { createSessionKeeper } from '#main/sessions/session-keeper.ts';
import { createHistoryWriter } from '#renderer/captions/history-writer.ts';
import { createConversation, type Travel } from '#renderer/conversation/controller.ts';
import { answerClosing, reportPhase } from '#renderer/conversation/follow-conversation.ts';
import type { Host } from '#renderer/host.ts';
import type { MicrophoneEvent } from '#renderer/sound/microphone.ts';
import type { MixerEvent } from '#renderer/sound/mixer.ts';
import type { Transport } from '#renderer/transport/transport.ts';
import { dueMs, step } from '#shared/conversation/machine/succession.ts';
import type { Announcement, AnnouncementName } from '#shared/host/contract.ts';
import type { HistoryCaption } from '#shared/host/history.ts';
import { silentLogger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import type { ServerMessage } from '#shared/protocol/server-message.ts';
import { createManualClock, type ManualClock } from '#test/support/manual-clock.ts';
import { createDice, type Dice } from '#test/support/random.ts';
import {
	createScriptedTransport,
	type ScriptedTransport,
	type TransportScript,
} from '#test/support/scripted-transport.ts';
import {
	createLedgerDisk,
	createMemoryLedger,
	createPretendService,
	MISHAPS,
} from '#test/support/sessions.ts';

/** What is wrong around the conversation just now; the person of `person.ts` changes it. */
interface Weather {
	/** Share of REST calls that go wrong. */
	faulty: number;
	/** No REST call gets through before this, ms. */
	outageUntilMs: number;
	/** How the next links behave. */
	link: Partial<TransportScript>;
	microphone: Problem | null;
	/** Share of calls to the history that fail. */
	historyFails: number;
	travel: Travel;
}

const FAILURES_IN_ROW = 10;

/** The real conversation, journal, keeper and REST client among pretend rooms, devices and a pretend service. */
export function createWorld(seed: number) {
	const clock = createManualClock();
	const dice = createDice(seed);
	const weather: Weather = {
		faulty: 0,
		outageUntilMs: 0,
		link: {},
		microphone: null,
		historyFails: 0,
		travel: { route: 'webrtc', mayFallBack: true },
	};
	const service = createPretendService(clock, {
		next() {
			if (clock.now() < weather.outageUntilMs) return 'refused';
			return dice.chance(weather.faulty) ? dice.pick(MISHAPS) : 'none';
		},
		latencyMs: () => 400 * dice.next(),
		skewMs: 0,
		limit: 5,
		lifeMs: 600_000,
		tokenLifeMs: 900_000,
	});
	const common = { clock, random: dice.next, log: silentLogger };
	/** Sessions whose id came in a whole answer; any other can only be shown, and expires. */
	const heard = new Set<string>();
	const fetch: typeof globalThis.fetch = async (input, init) => {
		const response = await service.fetch(input, init);
		const made = service.toldBy(response);
		if (made) heard.add(made.id);
		return response;
	};
	const api = createSessionClient({
		...common,
		fetch,
		baseUrl: () => 'https://api.example.com',
		key: () => 'the-key',
	});
	const disk = createLedgerDisk();
	const ledger = createMemoryLedger(disk, 'program');
	const keeper = createSessionKeeper({ ...common, api, ledger, preparedIdleMs: () => 60_000 });

	const listeners = new Map<AnnouncementName, Set<(payload: never) => void>>();
	function announce<Name extends AnnouncementName>(name: Name, payload: Announcement<Name>): void {
		for (const heard of [...(listeners.get(name) ?? [])]) heard(payload as never);
	}
	keeper.onLost((handle, problem) => announce('session.lost', { handle, problem }));
	keeper.onExpiring((handle, leftMs) => announce('session.expiring', { handle, leftMs }));

	/** Captions the history holds, conversation by conversation. */
	const history = new Map<string, Map<string, HistoryCaption>>();
	/** Calls for one conversation that failed in a row: fewer than the journal tries before it gives up. */
	const failures = new Map<string, number>();
	async function record(name: string, input: unknown): Promise<Result<unknown, Problem>> {
		await new Promise<void>((done) => void clock.after(dice.below(30), done));
		const whose = (input as { id?: string } | undefined)?.id ?? name;
		const inRow = failures.get(whose) ?? 0;
		failures.set(whose, 0);
		if (inRow < FAILURES_IN_ROW && dice.chance(weather.historyFails)) {
			failures.set(whose, inRow + 1);
			return err({ kind: 'storage-failed', what: 'history' });
		}
		if (name === 'history.begin') {
			const id = `conversation-${history.size}`;
			history.set(id, new Map());
			return ok({ id });
		}
		if (name === 'history.append') {
			const { id, captions } = input as { id: string; captions: readonly HistoryCaption[] };
			for (const caption of captions) history.get(id)?.set(caption.key, caption);
		}
		return ok();
	}

	/** Of the session that was given out last. */
	let handle = '';
	async function opened() {
		const grant = await keeper.open();
		if (grant.ok) handle = grant.value.handle;
		return grant;
	}
	async function answer(name: string, input: unknown): Promise<Result<unknown, Problem>> {
		const asked = (input as { handle?: string } | undefined)?.handle ?? '';
		if (name.startsWith('history.')) return record(name, input);
		switch (name) {
			case 'session.open':
				return await opened();
			case 'session.close':
				await keeper.close(asked);
				return ok();
			case 'session.joined':
				keeper.joined(asked);
				return ok();
			case 'session.prepare':
				keeper.prepare();
				return ok();
			default:
				return ok();
		}
	}
	const host: Host = {
		ask: (name, input) => answer(name, input) as Promise<Result<never, Problem>>,
		listen(name, heard) {
			const known = listeners.get(name) ?? new Set();
			listeners.set(name, known);
			known.add(heard as (payload: never) => void);
			return () => void known.delete(heard as (payload: never) => void);
		},
	};

	/** A device with listeners, whose sound is a name. */
	function createHeard<Event>() {
		const heard = new Set<(event: Event) => void>();
		return {
			count: () => heard.size,
			tell: (event: Event) => [...heard].forEach((one) => void one(event)),
			listen(one: (event: Event) => void) {
				heard.add(one);
				return () => void heard.delete(one);
			},
		};
	}
	const microphoneEvents = createHeard<MicrophoneEvent>();
	const mixerEvents = createHeard<MixerEvent>();
	let generation = 0;
	let isOpen = false;
	const trackOf = (number: number) => ({ kind: 'audio', id: `track-${number}` }) as MediaStreamTrack;
	const microphone = {
		async open(): Promise<Result<MediaStreamTrack, Problem>> {
			const mine = generation;
			await new Promise<void>((done) => void clock.after(dice.between(10, 2000), done));
			if (mine !== generation) return err({ kind: 'cancelled' });
			if (weather.microphone) return err(weather.microphone);
			isOpen = true;
			return ok(trackOf(generation));
		},
		setMuted() {},
		close() {
			generation += 1;
			isOpen = false;
		},
		listen: microphoneEvents.listen,
	};
	const mixer = {
		setVoice() {},
		selectVoice() {},
		setOriginal() {},
		cut() {},
		resumeVoice() {},
		clear() {},
		listen: mixerEvents.listen,
	};

	const links: { readonly link: ScriptedTransport; readonly listeners: () => number }[] = [];
	/** Finals that reached the conversation since Start, and ever. */
	let delivered: string[] = [];
	const everDelivered: string[] = [];
	function createLink(kind: 'webrtc' | 'websocket'): Transport {
		const link = createScriptedTransport(clock, { ...weather.link, kind });
		let heard = 0;
		links.push({ link, listeners: () => heard });
		if (links.length > 20)
			links.splice(
				0,
				links.findIndex((one) => one.link.state !== 'closed'),
			);
		letSpeak(link, {
			clock,
			dice,
			isHeard: () => heard > 0,
			delivered(text) {
				if (!delivered.includes(text)) delivered.push(text);
				everDelivered.push(text);
			},
		});
		return {
			capabilities: link.capabilities,
			open: link.open,
			setMicrophone: link.setMicrophone,
			send: link.send,
			close: link.close,
			stats: link.stats,
			listen(one) {
				heard += 1;
				const end = link.listen(one);
				return () => {
					heard -= 1;
					end();
				};
			},
		};
	}

	const journal = createHistoryWriter({ host, clock, random: dice.next });
	const conversation = createConversation({
		host,
		clock,
		log: silentLogger,
		microphone,
		mixer,
		journal,
		random: dice.next,
		travel: () => weather.travel,
		createTransport: () => createLink('webrtc'),
		createSocketTransport: () => createLink('websocket'),
		succession: async () => ({
			step,
			dueMs,
			keepVoice: (track) => ({ track, waits: () => false, letGo() {}, close() {} }),
			pauses: (_track, quiet) => clock.every(200, () => dice.chance(0.1) && quiet(700)),
		}),
	});
	const ends = [reportPhase(conversation, host), answerClosing(conversation, host)];
	const inUse = () =>
		links.map(({ link }) => link).filter(({ state }) => state === 'open' || state === 'opening');

	return {
		clock,
		dice,
		weather,
		service,
		keeper,
		conversation,
		announce,
		inUse,
		microphoneSays: microphoneEvents.tell,
		mixerSays: mixerEvents.tell,
		replaceMicrophone() {
			if (!isOpen) return;
			generation += 1;
			microphoneEvents.tell({ type: 'replaced', track: trackOf(generation), from: 'one', to: 'other' });
		},
		loseMicrophone() {
			if (!isOpen) return;
			isOpen = false;
			microphoneEvents.tell({ type: 'lost', problem: { kind: 'microphone-missing' } });
		},
		view: () => conversation.store.getState(),
		isMicrophoneOpen: () => isOpen,
		/** Start is about to be pressed: what was said before is another conversation's. */
		forget() {
			delivered = [];
		},
		/** The session in use cannot be kept any longer. */
		expire: () => announce('session.expiring', { handle, leftMs: dice.between(1000, 60_000) }),
		delivered: (): readonly string[] => delivered,
		everDelivered: () => new Set(everDelivered),
		/** Every text of the history, once for each caption that holds it. */
		recorded: () =>
			[...history.values()].flatMap((captions) =>
				[...captions.values()].filter(({ final, kind }) => final && kind !== 'lost').map(({ text }) => text),
			),
		/** Sessions whose id was heard and that nobody has tried to delete. */
		openSessions: () =>
			[...service.sessions.values()].filter(({ id, deleteTried }) => heard.has(id) && !deleteTried).length,
		listeners: () =>
			[...listeners.values()].reduce((sum, { size }) => sum + size, 0) +
			microphoneEvents.count() +
			mixerEvents.count() +
			links.reduce((sum, one) => sum + one.listeners(), 0),
		/** The window goes, and the program with it. */
		async close() {
			const closing = conversation.close();
			await clock.run(10_000);
			await closing;
			for (const end of ends) end();
			const closed = keeper.closeAll(3000);
			await clock.run(600_000);
			await closed;
		},
	};
}
export type World = ReturnType<typeof createWorld>;

interface SpeakerParts {
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
function letSpeak(link: ScriptedTransport, { clock, dice, delivered, isHeard }: SpeakerParts): void {
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
