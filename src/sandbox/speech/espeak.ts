import { baseOf } from '#shared/protocol/languages.ts';
import { runChild } from './child.ts';
import { s16Of, toFloat } from './pcm.ts';
import type { Timbre } from './timbre.ts';
import { readWavHeader } from './wav.ts';

/** Words a minute; `speed` 1 is this. */
const WORDS_PER_MINUTE = 165;
/** Out of 200; louder would clip. */
const AMPLITUDE = '70';
/** espeak-ng's own bounds. */
const SLOWEST = 80;
const FASTEST = 450;
/** Language codes whose voice has another name in espeak-ng. */
const VOICES: ReadonlyMap<string, string> = new Map([
	['zh', 'cmn'],
	['no', 'nb'],
	['en-us', 'en-us'],
	['en-gb', 'en-gb'],
	['es-mx', 'es-419'],
	['es-la', 'es-419'],
	['es-ar', 'es-419'],
	['es-co', 'es-419'],
	['es-ch', 'es-419'],
	['pt-br', 'pt-br'],
	['pt-la', 'pt-br'],
]);

/** espeak-ng's variants, appended to a language's voice. */
const VARIANT: Readonly<Record<Timbre, string>> = { low: '', high: '+f2', cloned: '+f4' };
/** Out of 99; 50 is usual. A cloned voice is much higher than either built-in one, so that nobody mistakes it for one. */
const PITCH: Readonly<Record<Timbre, string>> = { low: '50', high: '50', cloned: '95' };

export interface Spoken {
	readonly samples: Float32Array;
	readonly rateHz: number;
}

/**
 * Speaks a text with espeak-ng; null where it is not installed or has no such language. Started as a
 * process of its own: its licence is GPL, so it is never linked.
 */
export async function espeak(
	text: string,
	language: string,
	options: { readonly timbre?: Timbre; readonly tempo?: number } = {},
): Promise<Spoken | null> {
	const code = language.toLowerCase();
	const base = baseOf(code);
	if (!/^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/.test(code)) return null;
	const name = VOICES.get(code) ?? VOICES.get(base) ?? base;
	const speed = Math.round(Math.max(SLOWEST, Math.min(FASTEST, WORDS_PER_MINUTE * (options.tempo ?? 1))));
	const timbre = options.timbre ?? 'low';
	const args = [
		'-v',
		`${name}${VARIANT[timbre]}`,
		'-p',
		PITCH[timbre],
		'-s',
		String(speed),
		'-a',
		AMPLITUDE,
		'-b',
		'1',
		'--stdin',
		'--stdout',
	];
	const wav = await runChild('espeak-ng', args, Buffer.from(`${text.replaceAll('\0', ' ')}\n`, 'utf8'));
	if (!wav) return null;
	const header = readWavHeader(wav);
	if (header?.tag !== 1 || header.bits !== 16 || header.channels !== 1) return null;
	const samples = toFloat(s16Of(wav.subarray(header.dataAt)));
	return samples.length === 0 ? null : { samples, rateHz: header.rateHz };
}
