import { all, counted, type Words } from './words.ts';

const units = 'ein zwei drei vier fünf sechs sieben acht neun'.split(' ');
const tens = 'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig'.split(' ');

/** 21 to 99, the unit first, as one word. */
const compounds = Object.fromEntries(
	tens.flatMap((ten, tenIndex) =>
		units.map((unit, index) => [`${unit}und${ten}`, (tenIndex + 2) * 10 + index + 1] as const),
	),
);

export const de: Words = {
	numbers: {
		...counted(
			0,
			'null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig',
		),
		...all(1, 'ein eine einen einem einer eines'),
		...all(2, 'zwo zweier'),
		dreißig: 30,
		dreissig: 30,
		vierzig: 40,
		fünfzig: 50,
		sechzig: 60,
		siebzig: 70,
		achtzig: 80,
		neunzig: 90,
		...compounds,
		...counted(
			4,
			'vierte fünfte sechste siebte achte neunte zehnte elfte zwölfte dreizehnte vierzehnte fünfzehnte sechzehnte siebzehnte achtzehnte neunzehnte zwanzigste',
		),
		...counted(
			4,
			'vierten fünften sechsten siebten achten neunten zehnten elften zwölften dreizehnten vierzehnten fünfzehnten sechzehnten siebzehnten achtzehnten neunzehnten zwanzigsten',
		),
		...all(30, 'dreißigste dreißigsten'),
		...Object.fromEntries(
			tens.flatMap((ten, index) => ['er', 'ern'].map((end) => [`${ten}${end}`, (index + 2) * 10] as const)),
		),
		...all(1.5, 'anderthalb eineinhalb'),
		...Object.fromEntries(
			'zwei drei vier fünf sechs sieben acht neun zehn elf zwölf'
				.split(' ')
				.map((whole, index) => [`${whole}einhalb`, index + 2.5] as const),
		),
	},
	scales: {
		...all(12, 'dutzend dutzende dutzenden'),
		...all(100, 'hundert'),
		...all(1e3, 'tausend tsd'),
		...all(1e6, 'million millionen mio'),
		...all(1e9, 'milliarde milliarden mrd'),
		...all(1e12, 'billion billionen'),
	},
	and: ['und'],
	point: ['komma', 'punkt'],
	andHalf: [],
	half: ['halbe', 'halben', 'halber', 'halbes'],
	loose: {
		...all([10], 'top_ten'),
		...all([1], 'erste ersten erster erstes einmal einzige einzigen'),
		...all([2], 'zweite zweiten zweiter beide beiden paar doppelt doppelte'),
		...all([3], 'dritte dritten dritter dreifach'),
		...all([0.5], 'halb halbe halben halbes halber hälfte'),
		...all([0.25, 3, 4], 'viertel viertelstunde dreiviertel dreiviertelstunde'),
		...all([24, 7], 'rund_um_die_uhr'),
		...all([7, 8], 'woche'),
		...all([14, 15], 'wochen jede_zweite_woche'),
		...all([12, 24, 18], 'mittag mittags jahr jahre jahren tag tage tagen'),
		...all([0, 12, 24], 'mitternacht'),
		...all([100], 'hunderte hunderten jahrhundert'),
		...all([1000], 'tausende tausenden'),
		...all([10], 'jahrzehnt jahrzehnte'),
	},
	percent: ['prozent'],
	currencies: {
		...all('usd', 'dollar usd'),
		...all('eur', 'euro euros eur'),
		...all('pound', 'pfund'),
		...all('gbp', 'gbp pfund_sterling britische_pfund'),
		...all('jpy', 'yen jpy'),
		...all('chf', 'franken schweizer_franken chf'),
		...all('sar', 'riyal rial sar'),
		...all('aed', 'dirham aed'),
		...all('dinar', 'dinar'),
		...all('mxn', 'peso pesos mxn'),
		...all('inr', 'rupie rupien inr'),
		...all('cny', 'yuan cny'),
		...all('krw', 'won krw'),
		...all('sek', 'schwedische_kronen sek'),
		...all('try', 'lira türkische_lira'),
		...all('pln', 'zloty złoty'),
		...all('rub', 'rubel'),
		...all('ils', 'schekel'),
	},
	nations:
		'(?:us|us-|amerikanische|kanadische|australische|britische|mexikanische|indische|chinesische|japanische|saudische|marokkanische|kuwaitische|jordanische|schweizer|hongkong)[nr]?-?',
	idioms:
		'unter null|(?:tausend|hundert) ?(?:dank|mal)|auf hundertachtzig|08/15|null acht fünfzehn|fünfe gerade|unter vier augen|alle[nr]? viere|siebten himmel|hundertprozentig\\p{L}*|fifty-fifty',
	firsts: {
		erste: 1,
		ersten: 1,
		erster: 1,
		zweite: 2,
		zweiten: 2,
		zweiter: 2,
		dritte: 3,
		dritten: 3,
		dritter: 3,
	},
	months: { jänner: 1, feber: 2 },
	weekdays: { sonnabend: 6 },
	ofDate: ['.', ',', 'den', 'im jahr', 'im jahre', 'des jahres'],
	ordinals: ['.', 'te', 'ten'],
	times: [
		'(?:(?<am>morgens|früh) )?(?<!(?:halb|viertel(?: nach| vor)?) )N ?(?:uhr|h\\b)(?: ?(?<m>N)(?! ?(?:%|euro|tage|minuten)))?(?: (?:(?<am2>morgens|früh|vormittags|am morgen|am vormittag)|(?<pm>nachmittags|abends|am nachmittag|am abend)))?',
		'(?:(?<mto>N)(?: minuten)? vor|(?<m>N)(?: minuten)? nach) (?<halfto>halb) N',
		'(?<halfto>halb) N(?: uhr)?(?: (?:(?<am>morgens|früh|vormittags)|(?<pm>nachmittags|abends)))?',
		'(?<past>viertel) nach N(?: uhr)?(?: (?:(?<am>morgens|früh|vormittags)|(?<pm>nachmittags|abends)))?',
		'(?<to>viertel) vor N(?: uhr)?(?: (?:(?<am>morgens|früh|vormittags)|(?<pm>nachmittags|abends)))?',
		'(?<to2>drei ?viertel) N(?: uhr)?(?: (?:(?<am>morgens|früh|vormittags)|(?<pm>nachmittags|abends)))?',
		'(?<toq>viertel) N(?: uhr)?',
		'(?<m>N)(?: minuten)? nach N',
		'(?<mto>N) vor N',
	],
	decimal: ',',
	dateOrder: 'day',
	glued: true,
	pairs: [' '],
	decades: { before: /(?!)/u, after: /^er(?:n|jahren?)?(?!\p{L})/u, word: /(?:zig|ßig)ern?$/u },
	// "Fünfzehnminütig", "Dreizimmerwohnung", "Neunsitzer".
	compounds:
		/(?<!\p{L})(?:ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|sechzehn|siebzehn|zwanzig|dreißig|sechzig|siebzig|zig|und|hundert|tausend|einhalb)+(?=\p{L}{3}|t(?!\p{L}))/gu,
};
