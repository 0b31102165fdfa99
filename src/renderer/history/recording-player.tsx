import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { isRunning } from '#renderer/conversation/live-changes.ts';
import { stopwatch } from '#renderer/i18n/format.ts';
import { isolate } from '#renderer/i18n/i18n.ts';
import { useTranslation } from '#renderer/i18n/use-translation.ts';
import { NoticeLine, problemSentence } from '#renderer/problems/problem-notice.tsx';
import { useParts } from '#renderer/shell/parts.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Icon } from '#renderer/ui/icon.tsx';
import { land } from '#renderer/ui/restore-focus.ts';
import type { Output } from '#shared/host/contract.ts';
import type { HistoryRecording } from '#shared/host/history.ts';
import { ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { chooseDevice } from '#shared/sound/devices.ts';
import styles from './history-page.module.css';

/** A caption is played from a little before its time, which could otherwise cut off the first sound. */
const LEAD_MS = 300;
/** A caption that begins before its recording by less than this is played from the recording's beginning. */
const EARLY_MS = 1000;
/** Within this distance of the end, *Play* starts from the beginning. */
const END_MS = 100;
/** An arrow key moves the position by this much in a long recording, and by a second in a short one. */
const LONG_STEP_MS = 5000;
const LONG_MS = 300_000;

interface PlayerView {
	readonly isPlaying: boolean;
	/** Position in all recordings as if they were one file, ms. */
	readonly atMs: number;
	/** The position as ms since the conversation's Start, like caption times; null: nothing was played yet. */
	readonly saidMs: number | null;
	/** Name of the file that could not be played; null = none. */
	readonly failed: string | null;
}

/** Plays the recordings of a conversation, one after the other. */
export type Player = ReturnType<typeof createPlayer>;

const UNPLAYED: PlayerView = { isPlaying: false, atMs: 0, saidMs: null, failed: null };

export function createPlayer(
	recordings: readonly HistoryRecording[],
	voice: () => { readonly sink: string; readonly volume: number },
) {
	let totalMs = 0;
	const parts = recordings.flatMap(({ lengthMs, ...one }) => {
		if (!lengthMs) return [];
		const fromMs = totalMs;
		totalMs += lengthMs;
		return [{ ...one, fromMs, lengthMs }];
	});
	const store = createStore<PlayerView>()(() => UNPLAYED);
	const audio = new Audio();
	/** The recording loaded in the element. */
	let loaded: (typeof parts)[number] | null = null;

	function show(): void {
		if (!loaded) return;
		const placeMs = Math.min(audio.currentTime * 1000, loaded.lengthMs);
		store.setState({ atMs: loaded.fromMs + placeMs, saidMs: loaded.startMs + placeMs });
	}

	function fail(): void {
		if (loaded) store.setState({ isPlaying: false, failed: loaded.name });
	}

	async function go(): Promise<void> {
		const { sink, volume } = voice();
		audio.volume = volume;
		// As for a voice, use the default device if the chosen one is missing.
		if (audio.sinkId !== sink) await audio.setSinkId(sink).catch(() => {});
		if (!store.getState().isPlaying) return;
		// Another position or a pause rejects this with `AbortError`.
		await audio.play().catch((failure: Error) => failure.name === 'AbortError' || fail());
	}

	function seek(atMs: number): void {
		const part = parts.findLast(({ fromMs }) => fromMs <= atMs);
		if (!part) return;
		if (part !== loaded) {
			loaded = part;
			audio.src = part.address;
		}
		audio.currentTime = (atMs - part.fromMs) / 1000;
		show();
		if (store.getState().isPlaying) void go();
	}

	function play(): void {
		const { atMs } = store.getState();
		store.setState({ isPlaying: true, failed: null });
		if (loaded && atMs < totalMs - END_MS) void go();
		else seek(atMs < totalMs - END_MS ? atMs : 0);
	}

	function pause(): void {
		store.setState({ isPlaying: false });
		audio.pause();
	}

	function partAt(saidMs: number) {
		return parts.findLast(
			({ startMs, lengthMs }) => saidMs >= startMs - EARLY_MS && saidMs < startMs + lengthMs,
		);
	}

	audio.addEventListener('timeupdate', show);
	audio.addEventListener('error', fail);
	// The browser also pauses for media keys, or if the device disappears.
	audio.addEventListener('pause', () => {
		if (audio.paused && !audio.ended) store.setState({ isPlaying: false });
	});
	audio.addEventListener('ended', () => {
		const endMs = loaded ? loaded.fromMs + loaded.lengthMs : totalMs;
		if (endMs < totalMs) return seek(endMs);
		store.setState({ isPlaying: false, atMs: totalMs });
	});
	return {
		store,
		totalMs,
		play,
		pause,
		/** Moves to this position, and continues to play if it is playing. */
		seek,
		/** Whether something was recorded at this time of the conversation. */
		has: (saidMs: number): boolean => partAt(saidMs) !== undefined,
		playFrom(saidMs: number): void {
			const part = partAt(saidMs);
			if (!part) return;
			store.setState({ isPlaying: true, failed: null });
			seek(part.fromMs + Math.max(0, saidMs - part.startMs - LEAD_MS));
		},
		close(): void {
			loaded = null;
			pause();
			audio.removeAttribute('src');
			audio.load();
		},
	};
}

const unplayed: StoreApi<PlayerView> = createStore<PlayerView>()(() => UNPLAYED);

interface Recordings {
	/** Plays the recordings; null: nothing was recorded, or none of the files exists. */
	readonly player: Player | null;
	/** Recordings whose files were moved or deleted. */
	readonly gone: readonly HistoryRecording[];
	/** Asks the user for the missing file of this recording. */
	find(recording: HistoryRecording): Promise<Result<Found, Problem>>;
}

type Found = Output<'history.find-recording'>;

/** A conversation's recordings. Playback stops when another begins, and when this page is left. */
export function useRecordings(id: string): Recordings {
	const { host, conversation, settings, sound } = useParts();
	const [found, setFound] = useState<readonly HistoryRecording[]>([]);
	const [finds, setFinds] = useState(0);
	const [player, setPlayer] = useState<Player | null>(null);
	const failed = useStore((player ?? { store: unplayed }).store, (view) => view.failed);

	// biome-ignore lint/correctness/useExhaustiveDependencies: a file that cannot be played may be gone
	useEffect(() => {
		let isLeft = false;
		void host.ask('history.recordings', { id }).then((answer) => {
			if (!isLeft && answer.ok) setFound((before) => (isSame(before, answer.value) ? before : answer.value));
		});
		return () => {
			isLeft = true;
		};
	}, [host, id, failed, finds]);

	useEffect(() => {
		if (!found.some(({ lengthMs }) => lengthMs)) return setPlayer(null);
		const made = createPlayer(found, () => {
			const { output, voiceVolume: volume } = settings.store.getState().values;
			const outputs = sound.store.getState().outputs.map((one) => ({ ...one, group: '' }));
			const choice = chooseDevice(output, outputs);
			return { sink: choice.how === 'wanted' ? choice.device.id : '', volume };
		});
		setPlayer(made);
		const unfollow = conversation.store.subscribe(({ phase }) => isRunning(phase) && made.pause());
		return () => {
			unfollow();
			made.close();
		};
	}, [found, conversation, settings, sound]);

	return {
		player,
		gone: found.filter(({ lengthMs }) => lengthMs === null),
		async find({ address }) {
			const answer = await host.ask('history.find-recording', { id, address });
			if (answer.ok && answer.value === 'found') setFinds((before) => before + 1);
			return answer;
		},
	};
}

function isSame(one: unknown, other: unknown): boolean {
	return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns the value that `pick` derives from the player's position, ms since the conversation's Start. */
export function usePlayed<Value>(player: Player | null, pick: (saidMs: number | null) => Value): Value {
	return useStore(player?.store ?? unplayed, ({ saidMs }) => pick(saidMs === null ? null : saidMs + LEAD_MS));
}

/** Plays the recordings of a conversation, and asks for missing files. */
export function RecordingPlayer({ player, gone, find }: Recordings) {
	return (
		<>
			{player && <Controls player={player} />}
			{gone.map((one) => (
				<Gone key={one.address} recording={one} find={find} />
			))}
		</>
	);
}

function Gone({ recording, find }: Pick<Recordings, 'find'> & { readonly recording: HistoryRecording }) {
	const { t, i18n } = useTranslation();
	const { info } = useParts();
	const [answer, setAnswer] = useState<Result<Found, Problem>>(ok('cancelled'));

	async function take(): Promise<void> {
		const now = await find(recording);
		setAnswer(now);
		// This notice goes, with the button that was pressed.
		if (now.ok && now.value === 'found') landOn(t('history.play'));
	}

	const name = isolate(recording.name);
	const text = !answer.ok
		? problemSentence(answer.error, t, i18n.language)
		: answer.value === 'no-recording'
			? t('history.recordingNone')
			: answer.value === 'taken'
				? t('history.recordingTaken')
				: t('history.recordingGone', { name });
	// A browser has no dialog for a path.
	const action =
		info.shell === 'electron' ? { label: t('history.recordingFind'), take: () => void take() } : undefined;
	return <NoticeLine tone="warning" text={text} action={action} />;
}

/** Focuses the button of this name as soon as it is there. */
function landOn(name: string): void {
	const { scrollTop: top = 0 } = document.querySelector('main') ?? {};
	requestAnimationFrame(() => land({ tag: 'button', name, nth: 0, top }));
}

function Controls({ player }: { readonly player: Player }) {
	const { t, i18n } = useTranslation();
	const { conversation, typing } = useParts();
	const { isPlaying, atMs, failed } = useStore(player.store);
	const isLive = useStore(conversation.store, ({ phase }) => isRunning(phase));
	const time = (ms: number) => isolate(stopwatch(ms, i18n.language));
	const [at, total] = [time(atMs), time(player.totalMs)];

	function play(): void {
		typing.silence();
		player.play();
	}

	return (
		<section className={styles.player} aria-label={t('history.recording')}>
			<Button
				square
				aria-label={t(isPlaying ? 'history.pausePlaying' : 'history.play')}
				isDisabled={isLive}
				onPress={isPlaying ? player.pause : play}
			>
				<Icon name={isPlaying ? 'pause' : 'resume'} />
			</Button>
			<input
				type="range"
				aria-label={t('history.playingPlace')}
				aria-valuetext={t('history.playedOf', { time: at, total })}
				min={0}
				max={player.totalMs}
				step={player.totalMs > LONG_MS ? LONG_STEP_MS : 1000}
				value={atMs}
				disabled={isLive}
				onChange={({ target }) => player.seek(target.valueAsNumber)}
			/>
			<span className={styles.facts}>
				{at} / {total}
			</span>
			<p role="status" className={styles.status}>
				{isLive
					? t('voices.tryLive')
					: failed === null
						? ''
						: t('history.recordingFailed', { name: isolate(failed) })}
			</p>
		</section>
	);
}
