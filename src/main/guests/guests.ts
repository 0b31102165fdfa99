import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import type { GuestsState, PhaseReport } from '#shared/host/contract.ts';
import type { Cancel, Clock } from '#shared/lib/clock.ts';
import { createListeners } from '#shared/lib/listeners.ts';
import type { Logger } from '#shared/lib/log.ts';
import { err, ok, type Result } from '#shared/lib/result.ts';
import type { FramePiece, FrameRow, OverlayFrame } from '#shared/overlay/frames.ts';
import type { Problem } from '#shared/problem.ts';
import { directionOf, readersTag } from '#shared/protocol/languages.ts';
import { VOICE_BLOCK } from '#shared/sound/voice-block.ts';
import type { GuestServer } from './guest-server.ts';

/** The newest captions, as the page of a guest shows them. `language` is a BCP 47 tag without region. */
export interface GuestFrame {
	/** Incremented when earlier captions are gone, so that a page that missed this stops showing them. */
	readonly part: number;
	readonly rows: readonly (Pick<FrameRow, 'side'> & {
		/** The number of the row, never given twice. */
		readonly key: number;
		readonly pieces: readonly GuestPiece[];
	})[];
}

interface GuestPiece extends Pick<FramePiece, 'kind' | 'language' | 'text' | 'final'> {
	/** Direction of the language; absent if unknown. */
	readonly dir?: 'ltr' | 'rtl';
}

/** Number of rows whose numbers are remembered; more than a guest's page keeps. */
const REMEMBERED = 1000;

/** Makes the frames for guests: only what the page shows, without the service's keys of rows. */
export function createGuestFrames(): (frame: OverlayFrame) => GuestFrame {
	const numbers = new Map<string, number>();
	let given = 0;
	let part = 0;
	/** `begun` of the previous frame. */
	let begunBefore: number | undefined;

	function numberOf(key: string): number {
		const known = numbers.get(key);
		if (known !== undefined) return known;
		given += 1;
		numbers.set(key, given);
		for (const oldest of numbers.keys()) {
			if (numbers.size <= REMEMBERED) break;
			numbers.delete(oldest);
		}
		return given;
	}

	return ({ rows, held, begun }) => {
		const shown = held ? [] : rows;
		if (numbers.size > 0 && (shown.length === 0 || begun !== begunBefore)) {
			// Another conversation may use the same keys.
			numbers.clear();
			part += 1;
		}
		begunBefore = begun;
		return {
			part,
			rows: shown.map(({ key, side, pieces }) => ({
				key: numberOf(key),
				...(side && { side }),
				pieces: pieces.map(guestPiece),
			})),
		};
	};
}

function guestPiece({ kind, language, text, final }: FramePiece): GuestPiece {
	const dir = directionOf(language);
	return { kind, language: readersTag(language), text, final, ...(dir !== 'auto' && { dir }) };
}

/** Networks inside this computer, and tunnels: other people in the room are hardly ever in them. */
const VIRTUAL = [
	/^(docker|podman|cni|lxc|lxd|incus|waydroid|veth|br-|bridge|virbr|vnic|vmnet|vmware|vboxnet|virtualbox)/i,
	/^(u?tun|tap|ppp|wg|nordlynx|tailscale|zt|zerotier|feth)/i,
];

/** RFC 1918, in the order in which homes and offices use them. */
const PRIVATE = [/^192\.168\./, /^10\./, /^172\.(1[6-9]|2\d|3[01])\./];

/** RFC 3927: addresses of a computer that was assigned none. */
const LINK_LOCAL = /^169\.254\./;

/** Sharing continues this long after a conversation, so that guests need not scan again for the next one. */
export const OVER_MS = 10 * 60_000;
/** How often to check whether this computer has moved to another network, ms. */
export const LOOK_MS = 10_000;

/** Shares the captions with guests in browsers on the same network, from the user's request until its end. */
export type Guests = ReturnType<typeof createGuests>;

/** Our ends of the three ports of a stream; the last is not used. */
interface VoiceEnds {
	readonly control: {
		listen(heard: (value: unknown) => void): void;
		closed(heard: () => void): void;
		close(): void;
	};
	readonly capture: { listen(heard: (value: unknown) => void): void; close(): void };
	readonly voice: { close(): void };
}

export function createGuests({
	clock,
	log,
	createPorts,
	interfaces = networkInterfaces,
}: {
	readonly clock: Clock;
	readonly log: Logger;
	readonly createPorts: (stream: string) => VoiceEnds | null;
	/** Default: the network interfaces of this computer. */
	readonly interfaces?: typeof networkInterfaces;
}) {
	const { listen, tell } = createListeners<[state: GuestsState]>();
	let server: GuestServer | null = null;
	let frames = createGuestFrames();
	let opening: Promise<void> | null = null;
	let revision = 0;
	/** The highest number of simultaneous guests. */
	let most = 0;
	let isOver = true;
	/** The languages that are spoken, and the streams that carry them. */
	let voices: readonly string[] = [];
	const speaking = new Set<VoiceEnds>();
	let stopWaiting: Cancel = () => {};
	let stopLooking: Cancel = () => {};

	function hosts(): readonly string[] {
		try {
			return guestHosts(interfaces());
		} catch {
			// Some systems do not reveal their addresses.
			return [];
		}
	}

	function state(): GuestsState {
		const shared = server;
		return {
			revision,
			sharing: shared !== null,
			addresses: shared ? hosts().map((host) => shared.address(host)) : [],
			guests: shared?.count() ?? 0,
			listening: [...(shared?.listening() ?? [])],
		};
	}

	function changed(): void {
		revision += 1;
		most = Math.max(most, server?.count() ?? 0);
		tell(state());
	}

	async function start(): Promise<void> {
		if (server || hosts().length === 0) return;
		// Load this only on demand: no start waits for it.
		const { openGuestServer } = await import('./guest-server.ts');
		server = await openGuestServer({ clock, changed });
		server.live(!isOver);
		server.voices(voices);
		frames = createGuestFrames();
		most = 0;
		log.info('captions are shared with guests');
		wait();
		look();
		changed();
	}

	/** Guests cannot reach an address that this computer no longer has. */
	function look(): void {
		let known = hosts().join();
		stopLooking = clock.every(LOOK_MS, () => {
			const now = hosts().join();
			if (now === known) return;
			known = now;
			changed();
		});
	}

	function wait(): void {
		stopWaiting();
		stopWaiting = server && isOver ? clock.after(OVER_MS, () => void close()) : () => {};
	}

	async function close(): Promise<void> {
		await opening?.catch(() => {});
		const closing = server;
		if (!closing) return;
		server = null;
		wait();
		stopLooking();
		voices = [];
		for (const ends of speaking) silence(ends);
		log.info('captions are no longer shared with guests', { most });
		changed();
		await closing.close();
	}

	function silence(ends: VoiceEnds): void {
		speaking.delete(ends);
		for (const port of [ends.control, ends.capture, ends.voice]) port.close();
	}

	return {
		/** The handlers of the guests' requests in `shared/host/contract.ts`. */
		answers: {
			async 'guests.open'(): Promise<Result<GuestsState, Problem>> {
				// Two presses open a single server.
				opening ??= start().finally(() => {
					opening = null;
				});
				await opening;
				return ok(state());
			},
			'guests.close': async (): Promise<Result<void, Problem>> => ok(await close()),
			async 'guests.voices'({
				languages,
			}: {
				readonly languages: readonly string[];
			}): Promise<Result<void, Problem>> {
				voices = languages;
				server?.voices(voices);
				return ok();
			},
			async 'guests.speak'({
				stream,
				language,
			}: Record<'stream' | 'language', string>): Promise<Result<void, Problem>> {
				const ends = server?.listening().includes(language) ? createPorts(stream) : null;
				if (!ends) return err({ kind: 'bug', where: 'guests.speak' });
				speaking.add(ends);
				ends.control.listen(() => {});
				ends.control.closed(() => silence(ends));
				ends.capture.listen((block) => {
					if (block instanceof Uint8Array && block.length === VOICE_BLOCK.bytes)
						server?.speak(language, block);
				});
				return ok();
			},
		},
		/** Shows the newest captions; ignored while nothing is shared. */
		show: (frame: OverlayFrame): void => server?.show(frames(frame)),
		/** Takes the conversation's phase: sharing ends some time after the conversation. */
		phase(phase: PhaseReport): void {
			const next = phase === 'idle' || phase === 'failed';
			if (next === isOver) return;
			isOver = next;
			server?.live(!isOver);
			wait();
		},
		/** The window's page crashed or was reloaded, which ended its conversation: stops sharing. */
		pageGone(): void {
			isOver = true;
			void close();
		},
		listen,
		/** Ends sharing; resolves when nothing listens any more. */
		close,
	};
}

/** The IPv4 addresses at which others may reach this computer, the likeliest first; of `os.networkInterfaces`. */
export function guestHosts(
	interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>,
): readonly string[] {
	return Object.entries(interfaces)
		.flatMap(([name, all = []]) =>
			all
				.filter(({ family, internal }) => family === 'IPv4' && !internal)
				.map(({ address }) => ({ address, rank: rankOf(name, address) })),
		)
		.sort((one, other) => one.rank - other.rank)
		.map(({ address }) => address);
}

function rankOf(name: string, address: string): number {
	if (VIRTUAL.some((one) => one.test(name)) || LINK_LOCAL.test(address)) return PRIVATE.length + 1;
	const range = PRIVATE.findIndex((one) => one.test(address));
	return range === -1 ? PRIVATE.length : range;
}
