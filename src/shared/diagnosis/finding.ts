import { z } from 'zod/mini';
import { Problem } from '#shared/problem.ts';

/** The checks of main and the command line, in display order. */
export const mainChecks = [
	'versions',
	'settings',
	'folder',
	'disk',
	'ledger',
	'history',
	'proxy',
	'service',
	'clock',
	'certificate',
	'key',
	'account',
	'room',
	's2s',
	'stt',
	'tts',
	'sound',
] as const;

/** Checks that only a window can make. */
export const windowChecks = ['permission', 'microphone', 'output', 'media'] as const;

export const CheckName = z.enum([...mainChecks, ...windowChecks]);
export type CheckName = z.infer<typeof CheckName>;
export type MainCheck = (typeof mainChecks)[number];

/** What a check reports if no `Problem` covers it; its words are `diagnosis.says.<saying>`. */
export const Saying = z.lazy(() =>
	z.enum([
		'versions',
		'settingsFine',
		'folderWritable',
		'diskFree',
		'diskLow',
		'ledgerFine',
		'ledgerLeft',
		'ledgerBroken',
		'historyNone',
		'historyFine',
		'historyLater',
		'historyDamaged',
		'proxyNone',
		'proxyUsed',
		'proxyUnusable',
		'serviceAnswers',
		'clockRight',
		'clockWrong',
		'clockUnknown',
		'certificateFine',
		'certificateSoon',
		'certificateOpen',
		'certificateBehindProxy',
		'keyHere',
		'keyAccepted',
		'roomFine',
		'roomLeft',
		'roomBusy',
		'socketFine',
		'socketOff',
		'soundServer',
		'soundNone',
		'permissionGranted',
		'permissionDenied',
		'permissionUnasked',
		'microphoneHeard',
		'microphoneQuiet',
		'outputsThere',
		'mediaUdp',
		'mediaTcp',
		'mediaTls',
		'mediaJoined',
		'windowOnly',
		'waitsFor',
		'cancelled',
	]),
);
export type Saying = z.infer<typeof Saying>;

/** The outcome of one check. */
export const Finding = z.lazy(() =>
	z.object({
		check: CheckName,
		/** `warning`: it works, but somebody should know. `skipped`: not checked. */
		state: z.enum(['ok', 'warning', 'failed', 'skipped']),
		/** What was found, unless `problem` says it. */
		says: z.nullable(Saying),
		/** Values for the words; never a secret, an id or a path. Times in ms are whole numbers called `ms`. */
		facts: z.record(z.string(), z.union([z.string().check(z.maxLength(300)), z.number()])),
		problem: z.nullable(Problem),
	}),
);
export type Finding = z.infer<typeof Finding>;
/** What a check returns; the runner adds its name. */
export type Outcome = Omit<Finding, 'check'>;
type Facts = Finding['facts'];

export function fine(says: Saying, facts: Facts = {}): Outcome {
	return { state: 'ok', says, facts, problem: null };
}

export function warning(says: Saying, facts: Facts = {}): Outcome {
	return { state: 'warning', says, facts, problem: null };
}

export function skipped(says: Saying, facts: Facts = {}): Outcome {
	return { state: 'skipped', says, facts, problem: null };
}

/** `state` is `warning` where the rest works without it. */
export function trouble(problem: Problem, state: 'failed' | 'warning' = 'failed'): Outcome {
	if (problem.kind === 'cancelled') return skipped('cancelled');
	return { state, says: null, facts: {}, problem };
}
