/**
 * Makes resources/speech from the phrase table. Needs espeak-ng and ffmpeg with libopus; run as
 * `node scripts/make-speech.ts` when a phrase changes, and commit what it writes.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { phrases, type SpokenLanguage, spokenLanguages } from '#sandbox/canned/phrases.ts';

const out = 'resources/speech';
const voices: Record<SpokenLanguage, string> = {
	en: 'en-us',
	es: 'es',
	fr: 'fr-fr',
	de: 'de',
	ja: 'ja',
	ar: 'ar',
};
/** Words per minute; the default of 175 is hard to follow. */
const SPEED = '150';
/** Number of sentences in the demo's input, and the pauses after them in seconds. */
const CONVERSATION = 6;
const PAUSES_S = [1.3, 1.4, 1.25, 1.35, 1.5, 1.3];

/**
 * Phrases in a spelling that espeak-ng pronounces correctly, by language and phrase number: it reads no kanji,
 * pronounces the particles は and を as written, and guesses the vowels of Arabic without vowel marks.
 */
const readings: Partial<Record<SpokenLanguage, readonly string[]>> = {
	ja: [
		'おはようございます。おあいできて うれしいです。',
		'ごりょこうわ いかがでしたか。',
		'でんしゃが すこし おくれましたが、すべて じゅんちょうでした。',
		'はじめる まえに、こーひーか おちゃわ いかがですか。',
		'みるくてぃーを いっぱい いただけると うれしいです。ありがとうございます。',
		'きょうの よていを ごせつめいします。',
		'ごぜんちゅうわ きゅうしがいを、ごごわ はくぶつかんを けんがくします。',
		'ここから えきまでわ どのくらい ありますか。',
		'あるいて じゅっぷんほどです。',
		'もうすこし ゆっくり はなして いただけますか。',
		'あす、しょるいを おおくりします。',
		'たすけて くださって、ほんとうに ありがとうございます。また ちかいうちに おあいしましょう。',
	],
	ar: [
		'صَبَاحُ الخَيْر، سُعِدْتُ بِلِقَائِك.',
		'هَلْ كَانَتْ رِحْلَتُكَ مُوَفَّقَة؟',
		'تَأَخَّرَ القِطَارُ قَلِيلًا، لَكِنَّ كُلَّ شَيْءٍ سَارَ عَلَى مَا يُرَام.',
		'هَلْ تَرْغَبُ فِي فِنْجَانٍ مِنَ القَهْوَةِ أَوِ الشَّايِ قَبْلَ أَنْ نَبْدَأ؟',
		'فِنْجَانٌ مِنَ الشَّايِ بِالحَلِيبِ سَيَكُونُ رَائِعًا، شُكْرًا لَك.',
		'دَعْنِي أَعْرِضُ عَلَيْكَ خُطَّةَ اليَوْم.',
		'سَنَزُورُ المَدِينَةَ القَدِيمَةَ فِي الصَّبَاحِ وَالمُتْحَفَ بَعْدَ الظُّهْر.',
		'كَمْ تَبْعُدُ المَحَطَّةُ مِنْ هُنَا؟',
		'إِنَّهَا عَلَى بُعْدِ حَوَالَيْ عَشْرِ دَقَائِقَ سَيْرًا عَلَى الأَقْدَام.',
		'هَلْ يُمْكِنُكَ أَنْ تَتَحَدَّثَ بِبُطْءٍ أَكْثَرَ مِنْ فَضْلِك؟',
		'سَأُرْسِلُ إِلَيْكَ الوَثَائِقَ غَدًا.',
		'شُكْرًا جَزِيلًا عَلَى مُسَاعَدَتِك، أَرَاكَ قَرِيبًا.',
	],
};

const work = mkdtempSync(join(tmpdir(), 'dragoman-speech-'));

function speak(voice: string, text: string, wav: string): void {
	execFileSync('espeak-ng', ['-v', voice, '-s', SPEED, '-w', wav, text]);
}

function ffmpeg(...args: string[]): void {
	execFileSync('ffmpeg', ['-hide_banner', '-loglevel', 'error', '-y', ...args]);
}

/** Removes the silence that espeak-ng adds at the end; pauses within the sentence remain. */
const TRIM =
	'silenceremove=start_periods=1:start_threshold=-50dB,areverse,silenceremove=start_periods=1:start_threshold=-50dB:start_silence=0.12,areverse';
/** Without tags and encoder version, so that the same input gives the same file. */
const BARE = '-map_metadata -1 -fflags +bitexact -flags +bitexact'.split(' ');
const OPUS = ['-c:a libopus -b:a 24k -frame_duration 20 -application voip'.split(' '), BARE].flat();

function makeClips(): number {
	let bytes = 0;
	for (const language of spokenLanguages) {
		mkdirSync(join(out, language), { recursive: true });
		for (const { number, text } of phrases) {
			const wav = join(work, 'clip.wav');
			const ogg = join(out, language, `${number}.ogg`);
			speak(voices[language], readings[language]?.[number - 1] ?? text[language], wav);
			ffmpeg('-i', wav, '-af', `${TRIM},volume=0.8`, '-ar', '48000', '-ac', '1', ...OPUS, ogg);
			bytes += statSync(ogg).size;
		}
	}
	return bytes;
}

/** Records the first sentences of the table in another voice, with pauses: the demo's speaker. */
function makeConversation(): void {
	const parts: string[] = [];
	const filters: string[] = [];
	for (const { number, text } of phrases.slice(0, CONVERSATION)) {
		const wav = join(work, `said-${number}.wav`);
		speak('en-gb+f3', text.en, wav);
		parts.push('-i', wav);
		filters.push(`[${number - 1}]${TRIM},apad=pad_dur=${PAUSES_S[number - 1]}[p${number}]`);
	}
	const inputs = phrases
		.slice(0, CONVERSATION)
		.map(({ number }) => `[p${number}]`)
		.join('');
	const graph = `${filters.join(';')};${inputs}concat=n=${CONVERSATION}:v=0:a=1,adelay=500,volume=0.8[all]`;
	const joined = join(work, 'joined.wav');
	ffmpeg(...parts, '-filter_complex', graph, '-map', '[all]', '-ar', '24000', '-ac', '1', joined);
	ffmpeg('-i', joined, '-ar', '16000', ...BARE, join(out, 'en-conversation.wav'));
	ffmpeg('-i', joined, '-ar', '24000', ...OPUS, join(out, 'en-conversation.ogg'));
}

function readme(): string {
	const rows = phrases.map(
		({ number, text }) => `| ${number} | ${spokenLanguages.map((l) => text[l]).join(' | ')} |`,
	);
	return `# Speech of the sandbox

Made by \`node scripts/make-speech.ts\` (espeak-ng and ffmpeg) from the texts in
\`src/sandbox/canned/phrases.ts\`; do not edit by hand.

- \`<language>/<number>.ogg\`: one sentence, Opus in Ogg, mono, 24 kbit/s, packets of 20 ms.
- \`en-conversation.wav\` (16 kHz mono, 16 bit) and \`.ogg\` (the same, Opus): sentences 1 to ${CONVERSATION} in English with
  pauses of 1.2 to 1.5 s, in another voice: what \`npm run demo\` says into the microphone.

The speech is synthetic; no person was recorded. espeak-ng itself is under GPL-3.0 or later; that licence covers the
program, not the sound it makes of our texts, which is under the licence of this repository (MIT).

| | ${spokenLanguages.join(' | ')} |
|---|${spokenLanguages.map(() => '---').join('|')}|
${rows.join('\n')}
`;
}

const bytes = makeClips();
makeConversation();
writeFileSync(join(out, 'README.md'), readme());
rmSync(work, { recursive: true });
process.stdout.write(`${phrases.length * spokenLanguages.length} clips, ${bytes} bytes\n`);
