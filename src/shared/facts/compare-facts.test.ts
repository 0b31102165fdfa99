import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compareFacts } from './compare-facts.ts';
import type { Fact } from './fact.ts';
import { findFacts } from './find-facts.ts';
import { type FactLanguage, factLanguageOf } from './words/index.ts';

/** A sentence, the same in another language, and wrong versions of that. */
interface FactPair {
	readonly said: { readonly language: FactLanguage; readonly text: string };
	readonly right: { readonly language: FactLanguage; readonly text: string };
	/** The same with one fact damaged; several where there are several facts. */
	readonly wrong: readonly string[];
}

const MARK = /\[([^|\]]*)\|([^\]]*)\]/g;

const read = (name: string) =>
	readFileSync(new URL(`../../../test/corpus/facts/${name}`, import.meta.url), 'utf8');

/** The pairs of `sentences.txt`, in both directions. */
function factPairs(): readonly FactPair[] {
	const text = read('sentences.txt');
	return text.split(/\n\n+/).flatMap((block) => {
		const lines = block.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
		const sentences = lines.map((line) => ({
			language: languageOf(line.slice(0, 2)),
			marked: line.slice(3),
		}));
		return sentences.flatMap((one) =>
			sentences.filter((other) => other !== one).map((other) => pairOf(one, other)),
		);
	});
}

/**
 * The pairs of a file in which each sentence is followed by what a wrong translation makes of it. Four people who did
 * not know how facts are read wrote `sets.txt`, `spoken.txt` and `everyday.txt`.
 */
function blockPairs(name: 'sets.txt' | 'hard.txt' | 'spoken.txt' | 'everyday.txt'): readonly FactPair[] {
	return read(name)
		.split(/\n\n+/)
		.flatMap((block) => {
			const versions = [...block.matchAll(/^(\w\w)(!?) (.+)$/gm)].map(([, code = '', wrong, text = '']) => ({
				language: languageOf(code),
				isRight: wrong === '',
				text,
			}));
			const rights = versions.filter(({ isRight }) => isRight);
			const wrongOf = (language: FactLanguage) =>
				versions.filter((one) => !one.isRight && one.language === language).map(({ text }) => text);
			return rights.flatMap((said) =>
				rights
					.filter((other) => other !== said)
					.map((right) => ({ said, right, wrong: wrongOf(right.language) })),
			);
		});
}

interface Marked {
	readonly language: FactLanguage;
	readonly marked: string;
}

function pairOf(one: Marked, other: Marked): FactPair {
	return {
		said: { language: one.language, text: withoutMarks(one.marked) },
		right: { language: other.language, text: withoutMarks(other.marked) },
		wrong: [...other.marked.matchAll(MARK)].map(
			({ index, 0: whole, 2: damaged = '' }) =>
				withoutMarks(other.marked.slice(0, index)) +
				damaged +
				withoutMarks(other.marked.slice(index + whole.length)),
		),
	};
}

function withoutMarks(marked: string): string {
	return marked.replace(MARK, '$1');
}

function languageOf(code: string): FactLanguage {
	const language = factLanguageOf(code);
	if (!language) throw new Error(`No language of facts: ${code}`);
	return language;
}

const known = new Map<string, readonly Fact[]>();

/** Each sentence of a corpus is compared with many others. */
function factsOf(text: string, language: FactLanguage): readonly Fact[] {
	const key = `${language} ${text}`;
	const facts = known.get(key) ?? findFacts(text, language) ?? [];
	known.set(key, facts);
	return facts;
}

function amber(
	said: string,
	translated: string,
	[from, to]: readonly [FactLanguage, FactLanguage] = ['en', 'de'],
) {
	const compared = compareFacts(factsOf(said, from), factsOf(translated, to));
	const marked = (judged: typeof compared.said) =>
		judged.flatMap(({ fact, verdict }) => (verdict === 'same' ? [] : [`${fact.text}: ${verdict}`]));
	return [marked(compared.said), marked(compared.translated)];
}

describe('the facts of a sentence and its translation', () => {
	const corpora = [
		{ name: 'our own', pairs: factPairs(), right: 2500, wrong: 2000, doubted: 1 / 200, missed: 0.05 },
		{
			name: 'of somebody who did not know how',
			pairs: blockPairs('sets.txt'),
			right: 2500,
			wrong: 2000,
			doubted: 1 / 200,
			missed: 0.05,
		},
		{
			name: 'with hard forms',
			pairs: blockPairs('hard.txt'),
			right: 2500,
			wrong: 900,
			doubted: 1 / 200,
			missed: 0.05,
		},
		{
			name: 'as people speak',
			pairs: blockPairs('spoken.txt'),
			right: 450,
			wrong: 300,
			doubted: 1 / 100,
			missed: 0.08,
		},
		// The last 60 blocks were judged once before the rules were mended on them: 6.1 % of the right pairs doubted, and
		// 10.8 % of the errors missed.
		{
			name: 'of everyday talk',
			pairs: blockPairs('everyday.txt'),
			right: 900,
			wrong: 650,
			doubted: 1 / 100,
			missed: 0.12,
		},
	];

	describe.each(corpora)('on sentences $name', ({ pairs, right, wrong, doubted, missed: mayMiss }) => {
		const isDoubted = ({ said, right: { language } }: FactPair, text: string) =>
			amber(said.text, text, [said.language, language]).flat().length > 0;

		it('are in six languages, right and wrong', () => {
			expect(new Set(pairs.map(({ said }) => said.language)).size).toBe(6);
			expect(pairs.length).toBeGreaterThan(right);
			expect(pairs.flatMap((pair) => pair.wrong).length).toBeGreaterThan(wrong);
		});

		// Thousands of pairs take some seconds on a busy machine.
		it('find nearly all errors, and hardly doubt a right one', { timeout: 60_000 }, () => {
			const falsely = pairs.filter((pair) => isDoubted(pair, pair.right.text));
			expect(falsely.length / pairs.length).toBeLessThan(doubted);
			const missed = pairs.flatMap((pair) => pair.wrong.filter((text) => !isDoubted(pair, text)));
			expect(missed.length / pairs.flatMap((pair) => pair.wrong).length).toBeLessThan(mayMiss);
		});
	});

	it('say which one is missing, and which stands in its place', () => {
		expect(amber('It costs 14 euros.', 'Es kostet etwas.')).toEqual([['14 euros: missing'], []]);
		expect(amber('It costs 14 euros.', 'Es kostet 40 Euro.')).toEqual([
			['14 euros: differs'],
			['40 Euro: differs'],
		]);
		expect(amber('It costs something.', 'Es kostet 40 Euro.')).toEqual([[], ['40 Euro: missing']]);
	});

	it('are told once each, with those that are right', () => {
		const { said, translated } = compareFacts(
			factsOf('On 14 March at 14:30, 20 percent.', 'en'),
			factsOf('Am 14. März um 14.30 Uhr, 20 %.', 'de'),
		);
		expect(said.map(({ fact, verdict }) => [fact.kind, fact.text, verdict])).toEqual([
			['date', '14 March', 'same'],
			['time', '14:30', 'same'],
			['percent', '20 percent', 'same'],
		]);
		expect(translated.map(({ fact }) => fact.text)).toEqual(['14. März', '14.30 Uhr', '20 %']);
	});

	it.each([
		['a sum in two words and one number', 'It costs 19 euros 99.', 'Es kostet 19,99 Euro.'],
		['a telephone number with and without its country', 'Call 030 901820.', 'Rufen Sie +49 30 901820 an.'],
		['a number that is said twice', 'Twenty, I mean 20 people.', 'Zwanzig Leute.'],
		['a small number in words that is left out', 'The three of them came.', 'Sie sind gekommen.'],
		[
			'a count before a compound',
			'We have two fifteen-minute breaks.',
			'Wir haben zwei Pausen von 15 Minuten.',
		],
		['a code that is read out', 'The code is K nine T two.', 'Der Code ist K9T2.'],
		['a version that is read out', 'It is three point twelve point one.', 'Es ist 3.12.1.'],
		['a figure of speech', 'Time is running out.', 'Es ist fünf vor zwölf.'],
		['two dozen', 'Two dozen people came.', '24 Leute kamen.'],
		['a dozen', 'A dozen people came.', '12 Leute kamen.'],
		['half an hour', 'Wait half an hour.', 'Warten Sie 30 Minuten.'],
		['the time of day in one number', 'At 1430 hours.', 'Um 14.30 Uhr.'],
		['the afternoon', 'At 2:30 pm.', 'Um 14:30 Uhr.'],
		['a date whose year is left out', 'On July 4, 2019.', 'Am 4. Juli.'],
		['a flight with and without a gap', 'Flight LH 455 is late.', 'Flug LH455 ist verspätet.'],
		['a number in other groups', 'My number is 70 4582.', 'Meine Nummer ist 704582.'],
		['a word that is said for many', 'Thanks a million.', 'Tausend Dank.'],
		['a month and its year', 'Until February 2028.', 'Bis Februar 2028.'],
		['either order of a date', 'On 3/4/2026.', 'Am 3.4.2026.'],
		['a date of which the other side says the day alone', 'On 14 March.', 'Am 14. des dritten Monats.'],
		['a day alone of which the other side knows the month', 'On the 14th of that month.', 'Am 14. März.'],
	])('are the same: %s', (_, said, translated) => {
		expect(amber(said, translated)).toEqual([[], []]);
	});

	it.each([
		['en', "We're open from 9 to 5.", 'de', 'Wir haben von 9 bis 17 Uhr geöffnet.'],
		['en', 'It rose from 10 to 15 percent.', 'de', 'Es stieg von 10 auf 15 Prozent.'],
		['en', "It's 5 to 10 minutes from here.", 'de', 'Es sind 5 bis 10 Minuten von hier.'],
		['en', 'It takes from 3 to 5 days.', 'de', 'Es dauert 3 bis 5 Tage.'],
		['en', 'It takes 10 minutes to 2 hours.', 'de', 'Es dauert 10 Minuten bis 2 Stunden.'],
		['en', 'We meet at ten to five on Friday.', 'de', 'Wir treffen uns am Freitag um zehn vor fünf.'],
		['fr', 'Répondez dans les 24 heures.', 'en', 'Reply within 24 hours.'],
		['fr', 'Rappelez après 24 heures.', 'en', 'Call again after 24 hours.'],
		['en', 'It starts at ten to nine in room four.', 'de', 'Es beginnt um zehn vor neun in Raum vier.'],
		['en', 'I left at ten to nine for Berlin.', 'de', 'Ich fuhr um zehn vor neun nach Berlin.'],
		['es', 'Abrimos las 24 horas.', 'de', 'Wir haben 24 Stunden geöffnet.'],
		['de', 'Bis 24 Uhr.', 'en', 'Until 24:00.'],
		['fr', 'Ça prend une heure.', 'en', 'It takes an hour.'],
		['fr', 'Revenez après une heure.', 'en', 'Come back after an hour.'],
		['fr', 'Revenez après une heure.', 'ar', 'عد بعد ساعة.'],
		['en', 'It took two and a half years.', 'es', 'Tardó dos años y medio.'],
		['en', 'It took two and a half years.', 'fr', 'Il a fallu deux ans et demi.'],
		['en', 'It costs half a million dollars.', 'de', 'Es kostet eine halbe Million Dollar.'],
		['en', 'It costs half a million dollars.', 'de', 'Es kostet 500.000 Dollar.'],
		['es', 'Cuesta medio millón de dólares.', 'ja', '50万ドルです。'],
		['en', 'Three point five million people live here.', 'de', 'Hier leben 3,5 Millionen Menschen.'],
		['en', 'She won 2 million dollars.', 'de', 'Sie hat 2 Millionen Dollar gewonnen.'],
		['en', 'We won 20 percent.', 'de', 'Wir haben 20 Prozent gewonnen.'],
		['es', 'Vivimos en el siglo XXI.', 'en', 'We live in the 21st century.'],
		['es', 'Entre los siglos XV y XVII.', 'de', 'Zwischen dem 15. und 17. Jahrhundert.'],
		['fr', 'Aux XIXe et XXe siècles.', 'en', 'In the nineteenth and twentieth centuries.'],
		['fr', 'La vie au XXIe siècle.', 'ja', '21世紀の生活です。'],
		['es', 'En el siglo XIX.', 'fr', 'Au dix-neuvième siècle.'],
		['es', 'En el siglo III.', 'fr', 'Au troisième siècle.'],
		['ja', '金曜までに終えてください。', 'en', 'Please finish by Friday.'],
		['ja', '暗証番号は四八一五です。', 'en', 'The PIN is four eight one five.'],
		['ja', '2024年、彼は九歳でした。', 'en', 'He was nine years old in 2024.'],
		['de', 'Ich gehe alle zwei Tage schwimmen.', 'en', 'I go swimming every other day.'],
		['de', 'Wir treffen uns alle vierzehn Tage.', 'en', 'We meet every other week.'],
		['de', 'Sie ist Mitte dreißig.', 'fr', 'Elle a dans les trente-cinq ans.'],
		['es', 'Una mesa a las ocho para cuatro.', 'en', 'A table for four at eight.'],
		['en', 'It costs two euros ninety in all.', 'fr', 'Ça coûte deux euros quatre-vingt-dix au total.'],
		['en', 'B as in Bravo, T as in Tango, nine, four.', 'ar', 'الرمز هو BT94.'],
		['ja', '深夜一時に帰りました。', 'en', 'I got home at one in the morning.'],
		['en', 'It costs ninety-five cents.', 'de', 'Es kostet 0,95 Euro.'],
		['de', 'Von achtzehn bis zwanzig Uhr.', 'en', 'From six to eight p.m.'],
		['en', 'Give me two minutes.', 'de', 'Einen Moment, bitte.'],
		['ja', '一ドルは百五十円です。', 'en', 'A dollar is a hundred and fifty yen.'],
		['en', 'I weigh a hundred and fifty pounds.', 'fr', 'Je pèse soixante-huit kilos.'],
		['en', 'I am six foot two.', 'de', 'Ich bin ein Meter achtundachtzig groß.'],
		['fr', 'Une livre de beurre.', 'en', 'Five hundred grams of butter.'],
		['en', 'It runs on Python three point twelve.', 'de', 'Es läuft mit Python 3.12.'],
		['de', 'Info ät kaiser minus bau punkt de.', 'en', 'It is info@kaiser-bau.de.'],
		['fr', 'Allez sur www point meteo point fr.', 'en', 'Go to www.meteo.fr.'],
		['en', 'Up three percentage points.', 'fr', 'En hausse de trois points.'],
		['en', 'Demand has halved.', 'fr', 'La demande a chuté de 50 %.'],
		['de', 'Die Zahl hat sich halbiert.', 'en', 'The number fell by 50 percent.'],
		['fr', 'Les mille et une nuits.', 'en', 'One thousand and one nights.'],
		['ja', '七五三のお祝いです。', 'en', 'It is a party for children.'],
		['ja', '一月に一度集まります。', 'en', 'We meet once a month.'],
		['en', 'An hour and forty minutes.', 'fr', 'Une heure quarante.'],
		[
			'en',
			'Write to anna underscore berg at example dot com.',
			'de',
			'Schreiben Sie an anna_berg@example.com.',
		],
	] as const)('are the same in two languages: %s %s, %s %s', (from, said, to, translated) => {
		expect(amber(said, translated, [from, to])).toEqual([[], []]);
	});

	it.each([
		['another currency', 'It costs 20 dollars.', 'Es kostet 20 Euro.'],
		['a percentage that became a sum', '20 percent.', '20 Euro.'],
		['morning and evening', 'At 9 a.m.', 'Um 9 Uhr abends.'],
		['another month', 'On 3 October.', 'Am 3. Dezember.'],
		['another day of the week', 'On Friday.', 'Am Donnerstag.'],
		['one small number for another', 'We have three rooms.', 'Wir haben vier Zimmer.'],
		['a decimal point that is read as thousands', 'It is 1.234 metres.', 'Es sind 1.234 Meter.'],
		['another domain', 'Write to a@example.com.', 'Schreiben Sie an a@example.org.'],
		['a telephone number with two digits swapped', 'Call 030 901820.', 'Rufen Sie 030 901280 an.'],
		['four digits in other groups, which may be chance', 'Take 12 and 34.', 'Nimm 123 und 4.'],
		['of a telephone number the end alone', 'Call 030 901820.', 'Rufen Sie die 1820 an.'],
		['another gate', 'Go to gate B12.', 'Gehen Sie zu Gate B2.'],
		[
			'another month, where "one" stands elsewhere',
			'On March 1st one side cancels.',
			'Am 1. Mai kündigt eine Seite.',
		],
		['a million for half of it', 'Half a million people came.', 'Eine Million Menschen kamen.'],
		['a currency that is lost', 'It costs 20 euros.', 'Es kostet 20.'],
		['a percentage that became a number', 'It rose by 20 percent.', 'Es stieg um 20.'],
		['a year and a number', 'In 2004 hundred thousand came.', 'Im Jahr 2004 kamen zehntausend.'],
		['tomorrow for today', 'I will call today.', 'Ich rufe morgen an.'],
		['miles for kilometres', 'It is 500 kilometres.', 'Es sind 500 Meilen.'],
		['another part of a domain', 'It is info at le dash jardin dot fr.', 'Es ist info@le-jordan.fr.'],
		['another floor', 'It is on the third floor.', 'Es ist im vierten Stock.'],
		['one hour for two', 'We waited two hours.', 'Wir haben eine Stunde gewartet.'],
		['pounds for kilos', 'It weighs 23 kilos.', 'Es wiegt 23 Pfund.'],
		['another score', 'We won three nil.', 'Wir haben zwei zu null gewonnen.'],
		['another door', 'Take door B.', 'Nehmen Sie Tür D.'],
		['another version', 'It is version 2.0.1.', 'Es ist Version 2.1.0.'],
		['two things whose numbers change places', 'Four chairs and two tables.', 'Zwei Stühle und vier Tische.'],
		[
			'two years that change places',
			'Founded in 1984 and sold in 2007.',
			'2007 gegründet und 1984 verkauft.',
		],
		['other odds', 'The odds are five to two.', 'Die Quote ist fünf zu eins.'],
		[
			'another letter of a code',
			'B as in Bravo, T as in Tango, nine, four.',
			'D wie Dora, T wie Theodor, neun, vier.',
		],
		['another decade', 'In the late nineteen seventies.', 'Ende der sechziger Jahre.'],
		['west for east', 'Seven degrees east.', 'Sieben Grad West.'],
		['a number of days that is left out', 'Take them for ten days.', 'Nehmen Sie sie.'],
		['an exact number that is left out', 'There were seventeen of us.', 'Wir waren viele.'],
		[
			'a name in an address',
			'Ask maria dot lopez at example dot com.',
			'Fragen Sie maria.gomez@example.com.',
		],
		['a hundred metres for two hundred', 'Walk two hundred metres.', 'Gehen Sie hundert Meter.'],
	])('are not the same: %s', (_, said, translated) => {
		expect(amber(said, translated).flat()).not.toEqual([]);
	});
});
