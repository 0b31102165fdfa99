import { randomBytes } from 'node:crypto';
import type { Account } from '#main/account/account.ts';
import { checkMediaAddress } from '#main/service/addresses.ts';
import type { SocketAgents } from '#main/service/proxy.ts';
import type { Product } from '#main/streaming/addresses.ts';
import { createSockets } from '#main/streaming/socket.ts';
import { createSpeechToSpeech } from '#main/streaming/speech-to-speech.ts';
import { createSpeechToText } from '#main/streaming/speech-to-text.ts';
import { createStreams, type StreamEnds, type Streams } from '#main/streaming/streams.ts';
import { createTextToSpeech } from '#main/streaming/text-to-speech.ts';
import { createTranscribing } from '#main/streaming/transcribing.ts';
import type { Clock } from '#shared/lib/clock.ts';
import type { Logger } from '#shared/lib/log.ts';
import { socketOf } from './socket-address.ts';

/** Ms of sound in a message to the local interpreter. */
const LOCAL_CHUNK_MS = 60;

/** The window's sockets: to the service of the account in force, through ports into the page. */
export function createAppStreams(parts: {
	readonly account: Account;
	readonly clock: Clock;
	readonly log: Logger;
	readonly allowedHosts: () => readonly string[];
	/** The way through a proxy. */
	readonly agent: SocketAgents;
	/** Channels into the page; null while there is none. */
	readonly createPorts: (stream: string) => StreamEnds | null;
}): Streams {
	const { account, clock, log, allowedHosts } = parts;
	const address = (product: Product) => () => socketOf(account, product);
	const sockets = createSockets({
		clock,
		log,
		key: account.key,
		checkAddress: (url) => checkMediaAddress(url, account.baseUrl(), allowedHosts()),
		randomHash: () => randomBytes(16).toString('hex'),
		agent: parts.agent,
	});
	const common = { sockets, clock, log, random: Math.random };
	const withoutFinalize = new Set<string>();
	/** On this computer nothing is gained by waiting until a longer piece is full. */
	const chunkOf = (chunkMs: number) => (account.status().service === 'local' ? LOCAL_CHUNK_MS : chunkMs);
	return createStreams({
		clock,
		log,
		createSpeaker: () => createTextToSpeech({ ...common, address: address('tts') }),
		createPorts: parts.createPorts,
		createSpeechStream(opening, heard) {
			if (opening.purpose === 'speech-to-text') {
				const chunkMs = chunkOf(opening.chunkMs);
				const createEngine = () =>
					createSpeechToText({ ...common, address: address('stt'), chunkMs, withoutFinalize });
				return createTranscribing({ clock, createEngine }, opening, heard);
			}
			const { keepSpeech } = opening;
			const chunkMs = chunkOf(opening.chunkMs);
			const speech = createSpeechToSpeech({ ...common, address: address('s2s'), keepSpeech, chunkMs });
			let received = 0;
			speech.listen((event) => {
				if (event.type === 'message' || event.type === 'audio') received += 1;
				heard(event);
			});
			return {
				// The window's machine sets the task and confirms it.
				open: (signal) => speech.open(null, signal),
				send: speech.send,
				audio: speech.audio,
				close: speech.close,
				counts() {
					const { chunks, roundTripMs } = speech.counts();
					return { chunksSent: chunks, chunksReceived: received, roundTripMs };
				},
			};
		},
	});
}
