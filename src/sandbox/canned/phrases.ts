import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOggOpus } from '#sandbox/speech/codec.ts';

/** One sentence in every language the sandbox can speak. */
interface Phrase {
	/** From 1; the clip's file name. */
	readonly number: number;
	/** By base language code. */
	readonly text: Readonly<Record<SpokenLanguage, string>>;
}

/** Languages with phrases and clips. */
export const spokenLanguages = ['en', 'es', 'fr', 'de', 'ja', 'ar'] as const;
export type SpokenLanguage = (typeof spokenLanguages)[number];

const table: readonly Readonly<Record<SpokenLanguage, string>>[] = [
	{
		en: "Good morning, it's nice to meet you.",
		es: 'Buenos días, mucho gusto en conocerle.',
		fr: "Bonjour, c'est un plaisir de vous rencontrer.",
		de: 'Guten Morgen, es freut mich, Sie kennenzulernen.',
		ja: 'おはようございます。お会いできてうれしいです。',
		ar: 'صباح الخير، سعدت بلقائك.',
	},
	{
		en: 'Did you have a good trip?',
		es: '¿Ha tenido un buen viaje?',
		fr: 'Avez-vous fait bon voyage ?',
		de: 'Hatten Sie eine gute Reise?',
		ja: 'ご旅行はいかがでしたか。',
		ar: 'هل كانت رحلتك موفقة؟',
	},
	{
		en: 'The train was a little late, but everything went well.',
		es: 'El tren llegó un poco tarde, pero todo salió bien.',
		fr: "Le train avait un peu de retard, mais tout s'est bien passé.",
		de: 'Der Zug hatte etwas Verspätung, aber alles ist gut gegangen.',
		ja: '電車が少し遅れましたが、すべて順調でした。',
		ar: 'تأخر القطار قليلاً، لكن كل شيء سار على ما يرام.',
	},
	{
		en: 'Would you like some coffee or tea before we start?',
		es: '¿Le apetece un café o un té antes de empezar?',
		fr: 'Voulez-vous un café ou un thé avant de commencer ?',
		de: 'Möchten Sie einen Kaffee oder einen Tee, bevor wir anfangen?',
		ja: '始める前に、コーヒーかお茶はいかがですか。',
		ar: 'هل ترغب في فنجان من القهوة أو الشاي قبل أن نبدأ؟',
	},
	{
		en: 'A cup of tea with milk would be lovely, thank you.',
		es: 'Una taza de té con leche estaría muy bien, gracias.',
		fr: 'Une tasse de thé au lait, ce serait parfait, merci.',
		de: 'Eine Tasse Tee mit Milch wäre wunderbar, danke.',
		ja: 'ミルクティーを一杯いただけるとうれしいです。ありがとうございます。',
		ar: 'فنجان من الشاي بالحليب سيكون رائعاً، شكراً لك.',
	},
	{
		en: 'Let me show you the plan for today.',
		es: 'Permítame enseñarle el plan de hoy.',
		fr: 'Laissez-moi vous montrer le programme de la journée.',
		de: 'Ich zeige Ihnen den Plan für heute.',
		ja: '今日の予定をご説明します。',
		ar: 'دعني أعرض عليك خطة اليوم.',
	},
	{
		en: 'We will visit the old town in the morning and the museum in the afternoon.',
		es: 'Por la mañana visitaremos el casco antiguo y por la tarde el museo.',
		fr: "Nous visiterons la vieille ville le matin et le musée l'après-midi.",
		de: 'Am Vormittag besuchen wir die Altstadt und am Nachmittag das Museum.',
		ja: '午前中は旧市街を、午後は博物館を見学します。',
		ar: 'سنزور المدينة القديمة في الصباح والمتحف بعد الظهر.',
	},
	{
		en: 'How far is it from here to the station?',
		es: '¿A qué distancia está la estación de aquí?',
		fr: 'À quelle distance se trouve la gare ?',
		de: 'Wie weit ist es von hier bis zum Bahnhof?',
		ja: 'ここから駅まではどのくらいありますか。',
		ar: 'كم تبعد المحطة من هنا؟',
	},
	{
		en: 'It is about ten minutes on foot.',
		es: 'Está a unos diez minutos a pie.',
		fr: "C'est à environ dix minutes à pied.",
		de: 'Es sind etwa zehn Minuten zu Fuß.',
		ja: '歩いて10分ほどです。',
		ar: 'إنها على بعد حوالي عشر دقائق سيراً على الأقدام.',
	},
	{
		en: 'Could you please speak a little more slowly?',
		es: '¿Podría hablar un poco más despacio, por favor?',
		fr: "Pourriez-vous parler un peu plus lentement, s'il vous plaît ?",
		de: 'Könnten Sie bitte etwas langsamer sprechen?',
		ja: 'もう少しゆっくり話していただけますか。',
		ar: 'هل يمكنك أن تتحدث ببطء أكثر من فضلك؟',
	},
	{
		en: 'I will send you the documents tomorrow.',
		es: 'Mañana le enviaré los documentos.',
		fr: 'Je vous enverrai les documents demain.',
		de: 'Ich schicke Ihnen morgen die Unterlagen.',
		ja: '明日、書類をお送りします。',
		ar: 'سأرسل إليك الوثائق غداً.',
	},
	{
		en: 'Thank you very much for your help, see you soon.',
		es: 'Muchas gracias por su ayuda, hasta pronto.',
		fr: 'Merci beaucoup pour votre aide, à bientôt.',
		de: 'Vielen Dank für Ihre Hilfe, bis bald.',
		ja: '助けてくださって、本当にありがとうございます。また近いうちにお会いしましょう。',
		ar: 'شكراً جزيلاً على مساعدتك، أراك قريباً.',
	},
];

/** The sandbox repeats these in a loop, because it does not recognise speech. */
export const phrases: readonly Phrase[] = table.map((text, index) => ({ number: index + 1, text }));

/** `es-mx` → `es`; null for a language without phrases. */
function spokenLanguage(code: string): SpokenLanguage | null {
	const base = code.toLowerCase().split('-')[0];
	return spokenLanguages.find((language) => language === base) ?? null;
}

/** The phrase in that language, or a text stating that there is none. */
function phraseText(phrase: Phrase, code: string): string {
	const language = spokenLanguage(code);
	if (language) return phrase.text[language];
	return `[${code}] The sandbox has no phrase ${phrase.number} in this language.`;
}

/** How many folders up to search for resources: the bundle is one to three levels below the root. */
const LEVELS = 6;

/** Duration of speech per character, ms: slow enough for every language. */
const MS_PER_CHARACTER = 65;

function phraseAt(sentence: number) {
	const found = phrases[(sentence - 1) % phrases.length];
	if (!found) throw new Error('the phrase table is empty');
	return found;
}

export type PhrasePicker = ReturnType<typeof createPhrasePicker>;

/** Selects the phrase by the sentence's number. `script`: the table in order; `echo`: the input. */
export function createPhrasePicker(kind: 'script' | 'echo', clips: Clips = createClips()) {
	function known(text: string, from: string) {
		const language = spokenLanguage(from);
		const plain = (written: string) => written.toLowerCase().replaceAll(/[\p{P}\s]/gu, '');
		return language && phrases.find((phrase) => plain(phrase.text[language]) === plain(text));
	}

	return {
		source: (sentence: number, language: string): string =>
			kind === 'echo'
				? `Sentence ${sentence}, which the sandbox plays back as it heard it.`
				: phraseText(phraseAt(sentence), language),
		translation: (sentence: number, target: string): string =>
			kind === 'echo' ? `[${target}] Echo of sentence ${sentence}.` : phraseText(phraseAt(sentence), target),
		/** Packets for a target; `heard` is the speaker's audio, for echoing. */
		voice(sentence: number, target: string, heard: readonly Uint8Array[]): readonly Uint8Array[] {
			if (kind === 'echo') return heard;
			const clip = clips.packets(target, phraseAt(sentence).number);
			return clip.length > 0 ? clip : heard;
		},
		/** A text of the client (`tts_task`) translated into that target. */
		translate(text: string, from: string, target: string): string {
			const phrase = known(text, from);
			return phrase ? phraseText(phrase, target) : `[${target}] The sandbox cannot translate: ${text}`;
		},
		voiceOf(text: string, target: string): readonly Uint8Array[] {
			const phrase = known(text, target);
			return phrase
				? clips.packets(target, phrase.number)
				: clips.nearest(target, text.length * MS_PER_CHARACTER);
		},
		/** Whether a clip of exactly this text exists. */
		hasClip(text: string, target: string): boolean {
			const phrase = known(text, target);
			return phrase ? clips.packets(target, phrase.number).length > 0 : false;
		},
	};
}

/** The folder `resources/speech` of the source tree, the bundle or a package; null if not shipped. */
export function findSpeechFolder(from: string = import.meta.url): string | null {
	const packaged: unknown = Reflect.get(process, 'resourcesPath');
	const places =
		typeof packaged === 'string' ? [join(packaged, 'speech'), join(packaged, 'resources/speech')] : [];
	let folder = dirname(fileURLToPath(from));
	for (let level = 0; level < LEVELS; level += 1) {
		places.push(join(folder, 'resources/speech'));
		folder = dirname(folder);
	}
	return places.find((place) => existsSync(join(place, 'en/1.ogg'))) ?? null;
}

type Clips = ReturnType<typeof createClips>;

/**
 * Reads clips from `folder` when they are first requested; a missing or broken clip is empty, never an error.
 */
export function createClips(folder: string | null = findSpeechFolder()) {
	const read = new Map<string, readonly Uint8Array[]>();

	function load(language: SpokenLanguage, number: number): readonly Uint8Array[] {
		const name = `${language}/${number}.ogg`;
		const known = read.get(name);
		if (known) return known;
		const path = folder && join(folder, name);
		const clip = path && existsSync(path) ? readOggOpus(readFileSync(path)) : null;
		const found = clip?.ok ? clip.value : [];
		read.set(name, found);
		return found;
	}

	return {
		/** 20 ms Opus packets of a phrase in that language (or its base); empty if there is no clip. */
		packets(code: string, number: number): readonly Uint8Array[] {
			const language = spokenLanguage(code);
			return language ? load(language, number) : [];
		},
		/** The phrase whose clip length is closest to `lengthMs`; for texts that are not in the table. */
		nearest(code: string, lengthMs: number): readonly Uint8Array[] {
			const language = spokenLanguage(code);
			if (!language) return [];
			const distance = (packets: readonly Uint8Array[]) => Math.abs(packets.length * 20 - lengthMs);
			return phrases
				.map(({ number }) => load(language, number))
				.reduce((best, next) => (distance(next) < distance(best) ? next : best));
		},
	};
}
