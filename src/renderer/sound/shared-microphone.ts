import { createListeners, type Listeners } from '#shared/lib/listeners.ts';
import { ok, type Result } from '#shared/lib/result.ts';
import type { Problem } from '#shared/problem.ts';
import { createActivity } from '#shared/sound/activity.ts';
import { type TapParts, tapLevel } from './meter.ts';
import type { Microphone, MicrophoneEvent } from './microphone.ts';

/** One microphone that several conversations listen to, each behind a gate of its own. */
interface SharedMicrophone<Name extends string> {
	/** The microphone for one conversation: its track is a copy, which ends when the conversation closes it. */
	readonly of: { readonly [One in Name]: Microphone };
	/** A closed gate passes silence: frames keep flowing, so that the service hears sentences end. */
	setGates(open: { readonly [One in Name]: boolean }): void;
	/** Reports the open copies each time one comes or goes. Returns an unsubscribe function. */
	watch(changed: (tracks: readonly MediaStreamTrack[]) => void): () => void;
}

interface Branch {
	copy: MediaStreamTrack | null;
	muted: boolean;
	open: boolean;
	/** Set while the branch wants the microphone, which may still be opening. */
	opening: object | null;
	readonly listeners: Listeners<[event: MicrophoneEvent]>;
}

/** The real microphone is open as long as any branch is, and is never muted. */
export function createSharedMicrophone<Name extends string>(
	microphone: Microphone,
	names: readonly Name[],
): SharedMicrophone<Name> {
	const branches = new Map<Name, Branch>(
		names.map((name) => [
			name,
			{ copy: null, muted: false, open: false, opening: null, listeners: createListeners() },
		]),
	);
	const watchers = createListeners<[tracks: readonly MediaStreamTrack[]]>();
	let unlisten = () => {};

	function tell(): void {
		const tracks = [...branches.values()].flatMap(({ copy }) => copy ?? []);
		watchers.tell(tracks);
	}

	function apply(branch: Branch): void {
		if (branch.copy) branch.copy.enabled = branch.open && !branch.muted;
	}

	function drop(branch: Branch): void {
		branch.copy?.stop();
		branch.copy = null;
	}

	function copyFor(branch: Branch, track: MediaStreamTrack): MediaStreamTrack {
		drop(branch);
		const copy = track.clone();
		branch.copy = copy;
		// Apply the gate before returning the copy, so that no frame passes a closed gate.
		apply(branch);
		return copy;
	}

	function hear(event: MicrophoneEvent): void {
		const wanting = [...branches.values()].filter(({ opening }) => opening);
		const isAboutTracks = event.type === 'replaced' || event.type === 'lost';
		// Any other event is passed to one branch only.
		for (const branch of isAboutTracks ? wanting : wanting.slice(0, 1)) pass(branch, event);
		if (isAboutTracks) tell();
	}

	function pass(branch: Branch, event: MicrophoneEvent): void {
		if (event.type === 'lost') drop(branch);
		const own = event.type === 'replaced' ? { ...event, track: copyFor(branch, event.track) } : event;
		branch.listeners.tell(own);
	}

	function branchMicrophone(name: Name, branch: Branch): Microphone {
		return {
			async open(): Promise<Result<MediaStreamTrack, Problem>> {
				if ([...branches.values()].every(({ opening }) => !opening)) {
					microphone.setMuted(false);
					unlisten = microphone.listen(hear);
				}
				branch.opening ??= {};
				const { opening } = branch;
				const opened = await microphone.open();
				// The branch was closed meanwhile, and perhaps opened again.
				if (branch.opening !== opening) return { ok: false, error: { kind: 'cancelled' } };
				if (!opened.ok) {
					close();
					return opened;
				}
				if (branch.copy?.readyState === 'live') return ok(branch.copy);
				const copy = copyFor(branch, opened.value);
				tell();
				return ok(copy);
			},
			setMuted(muted) {
				branch.muted = muted;
				apply(branch);
			},
			close,
			listen: branch.listeners.listen,
			get device() {
				return microphone.device;
			},
			// The first branch applies the settings on behalf of all.
			apply: async () => (name === names[0] ? microphone.apply() : undefined),
		};

		function close(): void {
			if (!branch.opening) return;
			branch.opening = null;
			drop(branch);
			tell();
			if ([...branches.values()].some(({ opening }) => opening)) return;
			unlisten();
			unlisten = () => {};
			microphone.close();
		}
	}

	return {
		of: Object.fromEntries([...branches].map(([name, branch]) => [name, branchMicrophone(name, branch)])) as {
			readonly [One in Name]: Microphone;
		},
		setGates(open) {
			for (const [name, branch] of branches) {
				branch.open = open[name];
				apply(branch);
			}
		},
		watch: watchers.listen,
	};
}

/** Thresholds for speech at the table; the pauses inside a sentence count as speech. */
const SPEECH = { onDb: -42, offDb: -50, attackMs: 120, holdMs: 900 };

/**
 * Reports when somebody starts or stops speaking into a gated microphone: a closed gate sends silence. `wanted`
 * is called each time the microphone is opened. Returns a function that stops the watch.
 */
export function watchSpeech(
	parts: TapParts,
	shared: Pick<SharedMicrophone<string>, 'watch'>,
	wanted: () => boolean,
	heard: (speaking: boolean) => void,
): () => void {
	const activity = createActivity(SPEECH);
	let untap = () => {};

	function follow(tracks: readonly MediaStreamTrack[]): void {
		untap();
		untap = () => {};
		if (activity.active) heard(false);
		activity.reset();
		const [track] = tracks;
		if (!track || !wanted()) return;
		untap = tapLevel(parts, track, ({ rmsDb }) => {
			const before = activity.active;
			const now = activity.push(rmsDb, parts.clock.now());
			if (now !== before) heard(now);
		});
	}

	const unwatch = shared.watch(follow);
	return () => {
		unwatch();
		untap();
	};
}
