import type { Cue, Fact } from './fact.ts';
import type { FactLanguage } from './words/index.ts';

/** One pattern for each language, applied to the result of `plainOf`. */
type Spoken = Readonly<Record<FactLanguage, RegExp>>;

/** Matches whole words; Arabic words may carry a prefix ("and", "with", "the"). */
const inWords = (language: FactLanguage, words: string) =>
	language === 'ja'
		? new RegExp(words, 'gu')
		: language === 'ar'
			? new RegExp(`(?<!\\p{L})(?:[وبلف]?(?:ال|ل)?)(?:${words})(?!\\p{L})`, 'gu')
			: new RegExp(`(?<!\\p{L})(?:${words})(?!\\p{L})`, 'gu');

const spoken = (words: Readonly<Record<FactLanguage, string>>): Spoken =>
	Object.fromEntries(
		Object.entries(words).map(([language, list]) => [language, inWords(language as FactLanguage, list)]),
	) as Spoken;

interface CueWords {
	readonly cue: Cue;
	readonly words: Spoken;
	/** Numbers that the word may stand for on the other side. */
	readonly numbers: readonly number[];
}

const cue = (
	dimension: Cue['dimension'],
	value: string,
	numbers: readonly number[],
	words: Readonly<Record<FactLanguage, string>>,
): CueWords => ({ cue: { dimension, value }, words: spoken(words), numbers });

/** Fractions of two or more words. They are read before numbers, so that "two thirds" yields no 2. */
const fractions: readonly CueWords[] = [
	cue('fraction', '2/3', [2 / 3], {
		en: 'two[ -]thirds?',
		de: 'zwei ?drittel\\p{L}*',
		fr: 'deux[ -]tiers',
		es: 'dos tercios|dos terceras partes',
		ja: '(?:三|3)分の(?:二|2)',
		ar: 'ثلث(?:ي|ين|ا|ان)',
	}),
	cue('fraction', '3/4', [0.75], {
		en: 'three[ -]quarters?|three[ -]fourths',
		de: 'drei ?viertel(?! (?:uhr|\\d|(?:ein|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf)(?!\\p{L})))(?:stunden?)?',
		fr: 'trois[ -]quarts',
		es: 'tres cuartos|tres cuartas partes',
		ja: '(?:四|4)分の(?:三|3)',
		ar: 'ثلاثه ارباع',
	}),
	cue('fraction', '1/3', [1 / 3], {
		en: '(?:a|one)[ -]third(?! (?:of (?:january|february|march|april|may|june|july|august|september|october|november|december)|party|time|person))',
		de: '(?:ein |eines |einem )?drittels?',
		fr: 'un tiers|le tiers',
		es: '(?:un )?tercio|(?:una |la )?tercera parte',
		ja: '(?:三|3)分の(?:一|1)',
		ar: '(?!)',
	}),
	cue('fraction', '1/4', [0.25], {
		en: 'one[ -]quarter|(?<!and )a quarter of',
		de: 'ein viertel(?! (?:nach|vor|\\d))|viertelstunde',
		fr: "(?<!et )un quart d(?:e|u|es|[’']heure)",
		es: '(?:una |la )?cuarta parte|(?<!y )un cuarto de',
		ja: '(?:四|4)分の(?:一|1)',
		ar: '(?!)',
	}),
	cue('fraction', '1/5', [0.2], {
		en: '(?:a|one)[ -]fifth',
		de: '(?:ein )?fünftel',
		fr: 'un cinquième',
		es: 'un quinto|la quinta parte',
		ja: '(?:五|5)分の(?:一|1)',
		ar: '(?<!ال)خمس(?= ال)',
	}),
];

const NOT_HERE = { en: '(?!)', de: '(?!)', fr: '(?!)', es: '(?!)', ja: '(?!)' };

/** Single words, read after times, sums and dates have been removed. */
const single: readonly CueWords[] = [
	cue('fraction', '1/2', [0.5], {
		en: 'half|halves|halved?|halving',
		de: 'halb|halbe[nrs]?|hälften?|halbier\\p{L}*',
		fr: 'moitiés?|demie?s?',
		es: 'mitad|medi[oa](?! (?:de|ambiente|camino))',
		ja: '半分|半数|半額',
		ar: 'نصفا?',
	}),
	cue('fraction', '1/3', [1 / 3], { ...NOT_HERE, ar: 'ثلث' }),
	cue('fraction', '1/4', [0.25], { ...NOT_HERE, ar: 'ربع(?! ساعه)' }),
	cue('day', 'am', [], {
		en: 'mornings?',
		de: 'morgens|frühmorgens|vormittags?|(?:am|heute|gestern|diesen|jeden|guten) morgen|(?:heute|morgen|gestern) früh|\\p{L}+tag(?:morgen|vormittag)s?',
		fr: 'matins?|matinées?',
		es: '(?:la|esta|las) mañanas?|madrugada',
		ja: '朝(?![食鮮])|午前',
		ar: 'صباحا?|فجرا?',
	}),
	cue('day', 'pm', [], {
		en: 'afternoons?|evenings?|tonight',
		de: 'nachmittags?|abends?|\\p{L}+tag(?:nachmittag|abend)s?',
		fr: 'après[ -]midi|soirs?|soirées?',
		es: '(?:la|esta|las) (?:tardes?|noches?)',
		ja: '午後|夕方|今夜|今晩|(?<!深)夜(?!中|明)|晩(?!年)',
		ar: 'مساء|عصرا|بعد الظهر',
	}),
	cue('noon', 'noon', [12], {
		en: 'noon|midday',
		de: 'mittags?',
		fr: '(?<!après[ -])midi',
		es: 'mediodía',
		ja: '正午|昼の',
		ar: '(?<!(?:بعد|قبل) )(?:ظهرا?|منتصف النهار)',
	}),
	cue('noon', 'midnight', [0, 12, 24], {
		en: 'midnight',
		de: 'mitternachts?',
		fr: 'minuit',
		es: 'medianoche',
		ja: '真夜中|夜中|深夜',
		ar: 'منتصف الليل',
	}),
	cue('when', 'yesterday', [], {
		en: '(?<!before )yesterday',
		de: 'gestern',
		fr: '(?<!avant[ -])hier',
		es: 'ayer',
		ja: '(?<!一)昨日',
		ar: '(?<!اول )امس',
	}),
	cue('when', 'today', [], {
		en: 'today',
		de: 'heute',
		fr: "aujourd[’']hui",
		es: 'hoy',
		ja: '今日|本日',
		ar: '(?<!(?:في|كل|ذلك|نفس|طوال|هذا) )اليوم(?! ال)',
	}),
	cue('when', 'tomorrow', [], {
		en: '(?<!after )tomorrow',
		de: '(?<!(?:am|heute|gestern|guten|jeden|diesen|de[rnms]|zum|vom|nächsten|eines|\\p{L}+tag) )morgen',
		fr: '(?<!après[ -])demain',
		es: '(?<!(?:la|esta|una|pasado) )mañana',
		ja: '明日',
		ar: '(?<!بعد )غدا',
	}),
	cue('rank', '1', [], {
		en: 'first|1st',
		de: 'erste[nrsm]?',
		fr: 'premi(?:er|ère)s?|1ère|1er',
		es: 'primer[oa]?s?',
		ja: '第[一1]|最初|初めて',
		ar: 'اول|الاولي?',
	}),
	cue('rank', '2', [], {
		en: '(?<!(?:a|one|per|split|every) )second|2nd',
		de: 'zweite[nrsm]?',
		fr: 'deuxièmes?|(?<!une )seconde?',
		es: '(?<!un )segund[oa]',
		ja: '第[二2]|二番目|2番目',
		ar: 'الثاني',
	}),
	cue('rank', '3', [], {
		en: '(?<!(?:a|one) )third|3rd',
		de: 'dritte[nrsm]?',
		fr: 'troisièmes?',
		es: 'tercer[oa]?s?',
		ja: '第[三3]|三番目|3番目',
		ar: 'الثالث',
	}),
	cue('north', 'north', [], {
		en: 'north(?:ern|wards?)?',
		de: 'nord|nördlich\\p{L}*|norden',
		fr: 'nord',
		es: 'norte',
		ja: '北緯|北[へにの側]',
		ar: 'شمالا?',
	}),
	cue('north', 'south', [], {
		en: 'south(?:ern|wards?)?',
		de: 'süd|südlich\\p{L}*|süden',
		fr: 'sud',
		es: 'sur',
		ja: '南緯|南[へにの側]',
		ar: 'جنوبا?',
	}),
	cue('east', 'east', [], {
		en: 'east(?:ern|wards?)?',
		de: 'ost|östlich\\p{L}*|osten',
		fr: "est(?=$|[.,;]| de )(?<=(?:à l[’']|degrés )est)",
		es: 'este(?<=(?:al|del|grados) este)',
		ja: '東経|東[へにの側]',
		ar: 'شرقا?',
	}),
	cue('east', 'west', [], {
		en: 'west(?:ern|wards?)?',
		de: 'west|westlich\\p{L}*|westen',
		fr: 'ouest',
		es: 'oeste',
		ja: '西経|西[へにの側]',
		ar: 'غربا?',
	}),
	cue('rate', 'day', [], {
		en: '(?:a|per|each|every) day|daily',
		de: '(?:pro|am|jeden) tag|täglich\\p{L}*',
		fr: '(?:par|chaque) jour|tous les jours|quotidien\\p{L}*',
		es: '(?:al|por|cada) día|todos los días|diari[oa]s?|diariamente',
		ja: '毎日|一日[にあ]|1日[にあ]',
		ar: 'يوميا|كل يوم|في اليوم(?! ال)',
	}),
	cue('rate', 'week', [], {
		en: '(?:a|per|each|every) week|weekly',
		de: '(?:pro|jede|in der) woche|wöchentlich\\p{L}*',
		fr: '(?:par|chaque) semaine|toutes les semaines|hebdomadaires?',
		es: '(?:a la|por|cada) semana|todas las semanas|semanal\\p{L}*',
		ja: '毎週|(?<![来今先])週に',
		ar: 'اسبوعيا|كل اسبوع|في الاسبوع(?! ال)',
	}),
	cue('rate', 'month', [], {
		en: '(?:a|per|each|every) month|monthly',
		de: '(?:pro|jeden|im) monat|monatlich\\p{L}*',
		fr: '(?:par|chaque) mois|tous les mois|mensuel\\p{L}*',
		es: '(?:al|por|cada) mes|todos los meses|mensual\\p{L}*',
		ja: '毎月',
		ar: 'شهريا|كل شهر|في الشهر(?! ال)',
	}),
	cue('rate', 'year', [], {
		en: '(?:a|per|each|every) year|yearly|annual\\p{L}*',
		de: '(?:pro|jedes) jahr|jährlich\\p{L}*',
		fr: '(?:par|chaque) an|tous les ans|annuel\\p{L}*',
		es: '(?:al|por|cada) año|todos los años|anual\\p{L}*',
		ja: '毎年|年間',
		ar: 'سنويا|كل (?:عام|سنه)|في (?:السنه|العام)(?! ال)',
	}),
];

/** A cue and its position. */
export interface CueMatch {
	readonly cue: Cue;
	readonly numbers: readonly number[];
	readonly match: RegExpExecArray;
}

export function fractionsIn(plain: string, language: FactLanguage): readonly CueMatch[] {
	return matchesOf(fractions, plain, language);
}

/** Words that exclude others, in the rest of a text after everything else has been read. */
export function cuesIn(rest: string, language: FactLanguage): readonly CueMatch[] {
	return matchesOf(single, rest, language);
}

function matchesOf(list: readonly CueWords[], text: string, language: FactLanguage): readonly CueMatch[] {
	return list.flatMap(({ cue: one, words, numbers }) =>
		[...text.matchAll(words[language])].map((match) => ({ cue: one, numbers, match })),
	);
}

/** Directly before a number, marks it as negative. "Au moins" and "por lo menos" mean at least. */
const MINUS: Spoken = {
	en: /(?:(?<!\p{L})(?:minus|negative) |(?<![\d\p{L}] ?)-)$/u,
	de: /(?:(?<!\p{L})minus |(?<![\d\p{L}] ?)-)$/u,
	fr: /(?:(?<!(?:au|du|le|ou|heures?|h|midi|minuit) )(?<!\p{L})moins |(?<![\d\p{L}] ?)-)$/u,
	es: /(?:(?<!(?:al|lo|o|ni|más) )(?<!\p{L})menos |(?<![\d\p{L}] ?)-)$/u,
	ja: /(?:マイナス|氷点下|零下|(?<![\d\p{L}] ?)-)$/u,
	ar: /(?:(?<!\p{L})(?:سالب|ناقص|تحت الصفر) |(?<![\d\p{L}] ?)-)$/u,
};
/** Shortly after a number, marks it as negative. */
const BELOW: Spoken = {
	en: /^[ \p{L}°]{0,12} below (?:zero|freezing)/u,
	de: /^[ \p{L}°]{0,12} unter null/u,
	fr: /^[ \p{L}°]{0,12} (?:en dessous de|sous|au-dessous de) zéro/u,
	es: /^[ \p{L}°]{0,12} bajo cero/u,
	ja: /(?!)/u,
	ar: /^[ \p{L}°]{0,12} تحت الصفر/u,
};
/** Words that mean less; a translation may use them instead of a minus. */
const LESS: Spoken = {
	en: /(?<!\p{L})(?:minus|negative|below|under|sub-?zero|down|drop|fell|fall|declin|decreas|reduc|lower|less|loss|lost|lose|off|discount|cheaper|fewer|shrank|shrink|cut|deficit|debt|owe|short|back|before|early|behind|deduct|subtract)/u,
	de: /(?<!\p{L})(?:minus|negativ|unter|gesunken|sank|fiel|gefallen|rückgang|abgenommen|verlust|verlor|weniger|billiger|günstiger|rabatt|reduzier|gekürzt|gesenkt|abzüglich|abzug|schulden|rückstand|zurück|frost|niedriger|minderung)|gefallen|nachlass/u,
	fr: /(?<!\p{L})(?:moins|négati|sous|dessous|baiss|chut|recul|perte|perdu|perd|réduc|rédui|remise|rabais|soldes?|inférieur|diminu|déficit|dette|doit|retrait|gel)/u,
	es: /(?<!\p{L})(?:menos|negativ|bajo|baj[óa]|caíd|cay[óo]|reduc|reduj|pérdid|perdi|perd|descuento|rebaj|inferior|disminu|déficit|deuda|debe|rest|barat)/u,
	ja: /マイナス|氷点下|零下|減|下が|下落|下回|低下|割引|引き|引く|値下げ|安く|赤字|損|負|以下|未満/u,
	ar: /سالب|ناقص|تحت|اقل|انخف|خفض|مخفض|تخفيض|خصم|تراجع|هبط|خسر|خساره|نقص|عجز|دين|دون|حسم/u,
};

/** The unit or thing that a number counts or names, as an English singular. */
const LABELS: Readonly<Record<string, Readonly<Record<FactLanguage, string>>>> = {
	room: {
		en: 'room',
		de: 'zimmer|raum',
		fr: 'chambre|salle',
		es: 'habitación|sala',
		ja: '号室',
		ar: 'غرفه|قاعه',
	},
	floor: {
		en: 'floor|storey|level',
		de: 'stock|etage|stockwerk|obergeschoss',
		fr: 'étage',
		es: 'planta|piso',
		ja: '階',
		ar: 'طابق|دور',
	},
	gate: {
		en: 'gate',
		de: 'gate|flugsteig|tor',
		fr: 'porte',
		es: 'puerta',
		ja: '番ゲート|番搭乗口',
		ar: 'بوابه',
	},
	track: {
		en: 'platform|track',
		de: 'gleis|bahnsteig',
		fr: 'quai|voie',
		es: 'andén|vía',
		ja: '番線|番ホーム',
		ar: 'رصيف',
	},
	seat: { en: 'seat', de: 'platz|sitz', fr: 'place|siège', es: 'asiento', ja: '番席', ar: 'مقعد' },
	row: { en: 'row', de: 'reihe', fr: 'rangée?', es: 'fila', ja: '列', ar: 'صف' },
	page: { en: 'pages?', de: 'seiten?', fr: 'pages?', es: 'páginas?', ja: 'ページ', ar: 'صفحه|صفحات' },
	table: { en: 'table', de: 'tisch', fr: 'table', es: 'mesa', ja: '番テーブル', ar: 'طاوله' },
	bus: { en: 'bus', de: 'bus', fr: 'bus', es: 'autobús', ja: '番バス|系統', ar: 'حافله' },
	adult: {
		en: 'adults?',
		de: 'erwachsenen?',
		fr: 'adultes?',
		es: 'adultos?',
		ja: '大人',
		ar: 'بالغ|بالغين|بالغان',
	},
	child: {
		en: 'child|children|kids?',
		de: 'kind|kindern?',
		fr: 'enfants?',
		es: 'niñ[oa]s?|hij[oa]s?',
		ja: '子供|子ども|こども',
		ar: 'طفل|اطفال|طفلا',
	},
	man: { en: 'man|men', de: 'mann|männern?', fr: 'hommes?', es: 'hombres?', ja: '男性', ar: 'رجل|رجال|رجلا' },
	woman: {
		en: 'woman|women',
		de: 'frau|frauen',
		fr: 'femmes?',
		es: 'mujer|mujeres',
		ja: '女性',
		ar: 'امراه|نساء',
	},
	night: {
		en: 'nights?',
		de: 'nacht|nächten?',
		fr: 'nuits?',
		es: 'noches?',
		ja: '泊',
		ar: 'ليله|ليال|ليالي',
	},
	centimetre: {
		en: 'cm|centimet(?:er|re)s?',
		de: 'cm|zentimetern?',
		fr: 'cm|centimètres?',
		es: 'cm|centímetros?',
		ja: 'cm|センチ',
		ar: 'سم|سنتيمتر\\p{L}*',
	},
	metre: {
		en: 'm|met(?:er|re)s?',
		de: 'm|metern?',
		fr: 'm|mètres?',
		es: 'm|metros?',
		ja: 'メートル',
		ar: 'متر|مترا|امتار',
	},
	kilometre: {
		en: 'km|kilomet(?:er|re)s?',
		de: 'km|kilometern?',
		fr: 'km|kilomètres?',
		es: 'km|kilómetros?',
		ja: 'km|キロメートル',
		ar: 'كم|كيلومتر\\p{L}*',
	},
	gram: {
		en: 'g|grams?|grammes?',
		de: 'g|gramm',
		fr: 'g|grammes?',
		es: 'g|gramos?',
		ja: 'グラム',
		ar: 'غرام|غراما|جرام',
	},
	kilogram: {
		en: 'kg|kilos?|kilogram(?:me)?s?',
		de: 'kg|kilos?|kilogramm',
		fr: 'kg|kilos?|kilogrammes?',
		es: 'kg|kilos?|kilogramos?',
		ja: 'kg|キログラム',
		ar: 'كغ|كيلوغرام\\p{L}*|كيلوجرام\\p{L}*',
	},
	minute: {
		en: 'minutes?|mins?',
		de: 'minuten?',
		fr: 'minutes?',
		es: 'minutos?',
		ja: '分間?',
		ar: 'دقيقه|دقائق',
	},
	second: {
		en: 'seconds?|secs?',
		de: 'sekunden?',
		fr: 'secondes?',
		es: 'segundos?',
		ja: '秒',
		ar: 'ثانيه|ثوان|ثواني',
	},
	teaspoon: {
		en: 'teaspoons?|tsp',
		de: 'teelöffel|tl',
		fr: 'cuillères? à (?:café|thé)',
		es: 'cucharaditas?',
		ja: '小さじ',
		ar: 'ملعقه صغيره|ملاعق صغيره',
	},
	tablespoon: {
		en: 'tablespoons?|tbsp',
		de: 'esslöffel|el',
		fr: 'cuillères? à soupe',
		es: 'cucharadas?',
		ja: '大さじ',
		ar: 'ملعقه كبيره|ملاعق كبيره',
	},
	litre: {
		en: 'l|lit(?:er|re)s?',
		de: 'l|litern?',
		fr: 'l|litres?',
		es: 'l|litros?',
		ja: 'リットル',
		ar: 'لتر|لترا|لترات',
	},
	millilitre: {
		en: 'ml|millilit(?:er|re)s?',
		de: 'ml|millilitern?',
		fr: 'ml|millilitres?',
		es: 'ml|mililitros?',
		ja: 'ml|ミリリットル|シーシー|cc',
		ar: 'مل|ملي ?لترا?|مليلترا?',
	},
	degree: {
		en: 'degrees?|°',
		de: 'grad|°',
		fr: 'degrés?|°',
		es: 'grados?|°',
		ja: '度|°',
		ar: 'درجه|درجات|°',
	},
	hour: { en: 'hours?', de: 'stunden?', fr: 'heures?', es: 'horas?', ja: '時間', ar: 'ساعه|ساعات' },
	day: { en: 'days?', de: 'tag|tagen?', fr: 'jours?', es: 'días?', ja: '日間', ar: 'يوم|ايام|يوما' },
	week: {
		en: 'weeks?',
		de: 'wochen?',
		fr: 'semaines?',
		es: 'semanas?',
		ja: '週間?',
		ar: 'اسبوع|اسابيع|اسبوعا',
	},
	month: {
		en: 'months?',
		de: 'monat|monaten?',
		fr: 'mois',
		es: 'mes|meses',
		ja: '[かヶカヵ]月',
		ar: 'شهر|اشهر|شهور|شهرا',
	},
	year: {
		en: 'years?',
		de: 'jahr|jahren?',
		fr: 'ans?|années?',
		es: 'años?',
		ja: '年(?:間|半)?',
		ar: 'سنه|سنوات|عام|اعوام|عاما',
	},
};
/** Units that can be converted into one another, with their size: a translation may use a different unit. */
const UNITS: Readonly<Record<string, readonly [family: string, size: number]>> = {
	minute: ['minutes', 1],
	hour: ['minutes', 60],
	day: ['minutes', 1440],
	week: ['minutes', 10_080],
	second: ['minutes', 1 / 60],
	teaspoon: ['teaspoons', 1],
	tablespoon: ['teaspoons', 3],
	millilitre: ['millilitres', 1],
	litre: ['millilitres', 1000],
	month: ['months', 1],
	year: ['months', 12],
	centimetre: ['centimetres', 1],
	metre: ['centimetres', 100],
	kilometre: ['centimetres', 100_000],
	gram: ['grams', 1],
	kilogram: ['grams', 1000],
};

/** Number of units in the next larger unit, of which fractions are usually given. */
const WHOLES: Readonly<Record<string, number>> = {
	minute: 60,
	month: 12,
	gram: 1000,
	centimetre: 100,
	metre: 1000,
};

/** Labels before their number: names of things ("room 12"), and in Japanese the people counted (大人2人). */
const NAMES = new Set(['room', 'floor', 'gate', 'track', 'seat', 'row', 'page', 'table', 'bus']);
const JAPANESE_NAMES = new Set(['adult', 'child', 'man', 'woman', 'teaspoon', 'tablespoon']);

interface LabelPatterns {
	readonly before: RegExp;
	readonly after: RegExp;
}
const labelPatterns = new Map<FactLanguage, LabelPatterns>();

/** Patterns with one group for each label. */
function labelsOf(language: FactLanguage): LabelPatterns {
	const known = labelPatterns.get(language);
	if (known) return known;
	const [open, close] = language === 'ja' ? ['', ''] : ['(?<!\\p{L})(?:ال|لل)?', '(?!\\p{L})'];
	const groups = (labels: readonly string[]) =>
		labels.map((label) => `(?<${label}>${LABELS[label]?.[language] ?? ''})`).join('|');
	const names = groups([...(language === 'ja' ? JAPANESE_NAMES : NAMES)]);
	const number = '(?: (?:number|no\\.?|nummer|nr\\.?|numéro|número|n[º°]|رقم))?';
	const made = {
		before: new RegExp(`${open}(?:${names})(?:は|が|を)?${number} ?$`, 'u'),
		after: new RegExp(
			`^(?:st|nd|rd|th|\\.|ers?|ère|e|è?me|[ºª°])?(?: |-)?${open}(?:${groups(Object.keys(LABELS))})${close}`,
			'u',
		),
	};
	labelPatterns.set(language, made);
	return made;
}

/** The label of a number. A preceding word takes precedence over a following counter: 大人2人. */
function labelOf(before: string, after: string, language: FactLanguage): string | undefined {
	const patterns = labelsOf(language);
	const groups = (patterns.before.exec(before) ?? patterns.after.exec(after))?.groups ?? {};
	return Object.keys(groups).find((label) => groups[label] !== undefined);
}

/** Measures that a translation may convert into metric ones. */
const IMPERIAL =
	/^(?: |-)?(?:degrees? |grados? |grad |degrés? |درجه |درجات |°)?(?:fahrenheit|f(?!\p{L})|miles?|mph|feet|foot|ft|inch(?:es)?|yards?|pounds?|lbs?|ounces?|oz|gallons?|acres?|meilen?|fuß|zoll|pfund|unzen?|gallonen?|milles?|pieds?|pouces?|livres?|onces?|millas?|pies?|pulgadas?|libras?|onzas?|galón|galones|華氏|マイル|フィート|インチ|ポンド|オンス|ガロン|ميل|اميال|قدم|اقدام|بوصه|رطل|ارطال|فهرنهايت)/u;
const METRIC =
	/^(?: |-)?(?:degrees? |grados? |grad |degrés? |درجه |درجات |°)?(?:celsius|c(?!\p{L})|k?m(?!\p{L})|km\/h|kilomet\p{L}*|kilomèt\p{L}*|kilómet\p{L}*|met(?:er|re)s?|metern?|mètres?|metros?|centi\p{L}*|zenti\p{L}*|cm|kilos?|kg|kilogra\p{L}*|grams?|gramm|grammes?|gramos?|lit(?:er|re)s?|litern?|litros?|hekt\p{L}*|hect\p{L}*|キロ|メートル|センチ|グラム|リットル|كيلو\p{L}*|متر\p{L}*|امتار|سنتيمتر|غرام|لتر|مئويه)/u;

/** Words around a change or a range. */
const FROM: Spoken = {
	en: /(?<!\p{L})(?:from|between)[ \p{L}$€£]{0,12}$/u,
	de: /(?<!\p{L})(?:von|vom|zwischen)[ \p{L}$€£]{0,12}$/u,
	fr: /(?<!\p{L})(?:de|du|d[’']|entre)[ \p{L}$€£]{0,8}$/u,
	es: /(?<!\p{L})(?:de|del|desde|entre)[ \p{L}$€£]{0,8}$/u,
	ja: /(?:)$/u,
	ar: /(?<!\p{L})(?:من|بين)[ \p{L}]{0,8}$/u,
};
const TO = spoken({
	en: 'to|and|until|till',
	de: 'auf|bis|zu|zum|und',
	fr: 'à|au|et',
	es: 'a|al|hasta|y',
	ja: 'から|より',
	ar: 'الي|و\\p{L}{0,5}|حتي',
});
/** Words in a list, or between two things. */
const AND = spoken({
	en: 'and|or|but',
	de: 'und|oder|aber',
	fr: 'et|ou|mais',
	es: 'y|o|pero',
	ja: '(?<=[\\p{Script=Han}\\p{Script=Katakana}])[とや]|、',
	ar: 'و\\p{L}{0,5}|او',
});
/** All possible texts between the numbers of a ratio. */
const RATIO = /^(?: (?:to|over|against|zu|gegen|à|contre|pour|a|contra|مقابل|الي) |対)$/u;
/** Longest gap between two related numbers, characters: a longer gap usually contains a whole sentence. */
const LONGEST_GAP = 60;

function signOf(
	{ kind }: Fact,
	before: string,
	after: string,
	language: FactLanguage,
	isLess: boolean,
): Pick<Fact, 'sign'> {
	if (kind !== 'number' && kind !== 'percent' && kind !== 'money') return {};
	if (MINUS[language].test(before) || BELOW[language].test(after)) return { sign: 'minus' };
	return isLess ? { sign: 'lower' } : {};
}

function countedIn(
	{ kind, cue: own, unit, numbers: [number] }: Fact,
	before: string,
	after: string,
	language: FactLanguage,
): Pick<Fact, 'label' | 'measure'> {
	if (kind !== 'number' || own) return {};
	const found = labelOf(before, after, language);
	// 2024年 is a year, but 九年 means nine years.
	const label = found === 'year' && (number ?? 0) >= 1000 ? undefined : found;
	const isImperial =
		unit === 'pound' ||
		IMPERIAL.test(after) ||
		/(?:foot|feet) $/.test(before) ||
		/華氏 ?(?:マイナス)?$/u.test(before);
	const isMetric =
		METRIC.test(after) || /m[eè]t(?:er|re|ro)s? $/.test(before) || /摂氏 ?(?:マイナス)?$/u.test(before);
	const measure = isImperial ? 'imperial' : isMetric ? 'metric' : label === 'degree' ? 'degree' : undefined;
	return { ...(label && { label }), ...(measure && { measure }) };
}

/** Adds the context of each fact in order: a minus, what is counted, its place in a range. */
export function withSurroundings(
	facts: readonly Fact[],
	plain: string,
	language: FactLanguage,
): readonly Fact[] {
	const isLess = LESS[language].test(plain);
	const counted = facts.filter(({ kind, strength, cue: own, numbers }) =>
		own ? numbers.length > 0 : strength !== 'loose' || kind === 'number',
	);
	const marked = new Map<Fact, Partial<Fact>>();
	for (const [index, fact] of counted.entries()) {
		const before = plain.slice(Math.max(0, fact.start - 24), fact.start);
		const after = plain.slice(fact.end, fact.end + 32);
		const next = counted.slice(index + 1).find(({ kind }) => (kind === 'date') === (fact.kind === 'date'));
		const isJoined = next && isJoint(fact, next, plain, language);
		const around = countedIn(fact, before, after, language);
		marked.set(fact, {
			...signOf(fact, before, after, language, isLess && around.label !== 'degree'),
			...around,
			// "A hundred metres" is a measure, "a hundred times" a figure of speech.
			...(fact.strength === 'loose' &&
				(fact.numbers[0] === 100 ? isMeasure(around as Fact) : isStorey(fact, around)) && {
					strength: 'weak',
				}),
			...(isJoined && { upTo: next.start }),
			// "Von achtzehn bis zwanzig Uhr".
			...(isJoined && next.time && fact.kind === 'number' && !around.label && hourOf(fact)),
		});
	}
	return facts.map((fact) => ({ ...fact, ...marked.get(fact) }));
}

/** "Second floor" names a certain floor. "First floor" may be the ground floor. */
function isStorey({ numbers: [number = 0] }: Fact, { label }: Pick<Fact, 'label'>): boolean {
	return number > 1 && label === 'floor';
}

function hourOf({ numbers: [hour = -1] }: Fact): Pick<Fact, 'time'> {
	const isHour = Number.isInteger(hour) && hour >= 0 && hour <= 24;
	return isHour ? { time: { minutes: hour * 60, sure: hour > 12 } } : {};
}

/** Whether a translation keeps the order of two numbers. */
function isJoint(from: Fact, to: Fact, plain: string, language: FactLanguage): boolean {
	// The Arabic "and" is attached to the following word.
	const gap = plain.slice(from.end, to.start + (language === 'ar' ? 1 : 0));
	if (![from, to].every(isNumeral) || gap.length > LONGEST_GAP || /[.;:!?。؟]/.test(gap)) return false;
	if (from.kind === to.kind && RATIO.test(plain.slice(from.end, to.start))) return true;
	const isAfter = (words: Spoken, most: number) => {
		const last = [...gap.matchAll(words[language])].at(-1);
		return last !== undefined && gap.length - last.index - last[0].length <= most;
	};
	if (isAfter(TO, 7) && FROM[language].test(plain.slice(Math.max(0, from.start - 24), from.start)))
		return true;
	const isFirm = [from, to].every(({ strength }) => strength === 'firm');
	return from.kind === to.kind && isAfter(AND, isFirm ? 30 : 7);
}

/** False for a word that may stand for several numbers, such as "noon" for 12 and 24. */
function isNumeral({ strength, cue: own, numbers: [number, ...more] }: Fact): boolean {
	return !own && (strength !== 'loose' || (number !== undefined && more.length === 0));
}

/** Whether a label is a unit of time or a measure. */
export function isUnit(label = ''): boolean {
	return Object.hasOwn(UNITS, label);
}

/** Whether the label is a length or weight: in "2 by 3 metres", the unit may follow either number. */
export function isMeasure({ label }: Fact): boolean {
	const [family] = UNITS[label ?? ''] ?? [];
	return family === 'centimetres' || family === 'grams' || family === 'millilitres';
}

/** Whether a number expresses this fraction in any unit: a half is 50 percent, 30 minutes, or the .5 of 4.5. */
export function isPartOf(part: number, { numbers, unit, label, time }: Fact): boolean {
	const isAbout = (number: number) => Math.abs(number - part) < 0.01;
	if (time) return isAbout((time.minutes % 60) / 60) || isAbout(1 - (time.minutes % 60) / 60);
	const whole = unit === '%' ? 100 : (WHOLES[label ?? ''] ?? 1);
	return numbers.some((number) => isAbout(number / whole) || isAbout(number % 1));
}

/** Converts hours to minutes, years to months, kilos to grams; null: the label is no such unit. */
export function amountOf({ label, numbers }: Fact) {
	const [family, scale] = UNITS[label ?? ''] ?? [];
	if (!family || !scale) return null;
	// "Quinze jours" are two weeks, "acht Tage" one.
	const isLoose = (number: number) => label === 'day' && (number === 15 || number === 8);
	const amounts = numbers.flatMap((number) => (isLoose(number) ? [number, number - 1] : [number]));
	return { family, amounts: amounts.map((amount) => amount * scale) };
}
