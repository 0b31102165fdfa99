import { baseOf } from '#shared/protocol/languages.ts';

/** Texts to read aloud in half a minute: everyday sentences, a question and a number, for a varied tone. */
const texts: Readonly<Record<string, string>> = {
	en: 'This morning I walked through the old market before the shops opened. The air smelled of fresh bread, rain and oranges. A young man asked me, "Is the bridge still closed?" I told him that boats leave every twenty minutes from the quay behind the church. He laughed, thanked me, and hurried away with both his bags. I like such short meetings: two strangers share a few words, and the whole day feels lighter.',
	es: 'Esta mañana crucé el viejo mercado antes de que abrieran las tiendas. Olía a pan recién hecho, a lluvia y a naranjas. Un joven me preguntó: «¿Sigue cerrado el puente?». Le dije que los barcos salen cada veinte minutos del muelle que hay detrás de la iglesia. Se rió, me dio las gracias y se marchó deprisa con sus dos bolsas. Me gustan esos encuentros breves: dos desconocidos comparten unas palabras y el día entero parece más ligero.',
	fr: "Ce matin, j'ai traversé le vieux marché avant l'ouverture des magasins. L'air sentait le pain frais, la pluie et les oranges. Un jeune homme m'a demandé : « Le pont est-il toujours fermé ? » Je lui ai répondu que des bateaux partent toutes les vingt minutes du quai, derrière l'église. Il a ri, m'a remercié et s'est dépêché avec ses deux sacs. J'aime ces brèves rencontres : deux inconnus échangent quelques mots, et toute la journée paraît plus légère.",
	de: 'Heute Morgen ging ich über den alten Markt, bevor die Läden öffneten. Die Luft roch nach frischem Brot, nach Regen und nach Orangen. Ein junger Mann fragte mich: „Ist die Brücke noch gesperrt?“ Ich sagte ihm, dass alle zwanzig Minuten ein Boot vom Kai hinter der Kirche fährt. Er lachte, dankte mir und eilte mit seinen beiden Taschen davon. Ich mag solche kurzen Begegnungen: Zwei Fremde wechseln ein paar Worte, und der ganze Tag fühlt sich leichter an.',
	it: "Stamattina ho attraversato il vecchio mercato prima che aprissero i negozi. L'aria profumava di pane fresco, di pioggia e di arance. Un ragazzo mi ha chiesto: «Il ponte è ancora chiuso?». Gli ho detto che ogni venti minuti parte un battello dal molo dietro la chiesa. Ha riso, mi ha ringraziato ed è corso via con le sue due borse. Mi piacciono questi brevi incontri: due sconosciuti si scambiano poche parole e tutta la giornata sembra più leggera.",
	pt: 'Esta manhã atravessei o velho mercado antes de as lojas abrirem. O ar cheirava a pão fresco, a chuva e a laranjas. Um rapaz perguntou-me: «A ponte ainda está fechada?» Disse-lhe que os barcos partem de vinte em vinte minutos do cais atrás da igreja. Ele riu, agradeceu e foi-se embora depressa com os dois sacos. Gosto destes encontros breves: dois desconhecidos trocam algumas palavras e o dia inteiro parece mais leve.',
	ru: 'Сегодня утром я прошёл через старый рынок ещё до открытия магазинов. Пахло свежим хлебом, дождём и апельсинами. Молодой человек спросил меня: «Мост всё ещё закрыт?» Я сказал, что лодки отходят каждые двадцать минут от причала за церковью. Он засмеялся, поблагодарил и поспешил дальше с двумя сумками. Я люблю такие короткие встречи: двое незнакомых людей обменяются парой слов, и весь день кажется светлее.',
	ar: 'هذا الصباح عبرت السوق القديم قبل أن تفتح المتاجر. كانت رائحة الخبز الطازج والمطر والبرتقال تملأ الهواء. سألني شاب: «هل ما زال الجسر مغلقًا؟» قلت له إن القوارب تغادر كل عشرين دقيقة من الرصيف خلف الكنيسة. ضحك وشكرني ومضى مسرعًا ومعه حقيبتاه. أحب هذه اللقاءات القصيرة: غريبان يتبادلان بضع كلمات، فيبدو اليوم كله أخف.',
	hi: 'आज सुबह दुकानें खुलने से पहले मैं पुराने बाज़ार से होकर गुज़रा। हवा में ताज़ी रोटी, बारिश और संतरों की ख़ुशबू थी। एक नौजवान ने मुझसे पूछा, "क्या पुल अब भी बंद है?" मैंने उसे बताया कि गिरजाघर के पीछे वाले घाट से हर बीस मिनट में नाव चलती है। वह हँसा, धन्यवाद कहा और अपने दोनों थैले लेकर जल्दी से चल पड़ा। मुझे ऐसी छोटी मुलाक़ातें पसंद हैं: दो अजनबी कुछ शब्द बाँटते हैं और सारा दिन हल्का लगता है।',
	ja: '今朝、店が開く前に古い市場を歩きました。焼きたてのパンと雨とオレンジの匂いがしました。若い男の人が「橋はまだ通れませんか」と私に尋ねました。教会の裏の岸から二十分ごとに船が出ますよ、と答えました。彼は笑ってお礼を言い、二つのかばんを持って急いで行きました。こういう短い出会いが好きです。知らない人どうしが少し言葉を交わすだけで、一日が軽くなります。',
	ko: '오늘 아침 가게들이 문을 열기 전에 오래된 시장을 걸었습니다. 갓 구운 빵과 비, 오렌지 냄새가 났습니다. 한 젊은이가 저에게 물었습니다. “다리는 아직도 막혀 있나요?” 저는 교회 뒤 부두에서 이십 분마다 배가 떠난다고 말해 주었습니다. 그는 웃으며 고맙다고 하고는 가방 두 개를 들고 서둘러 갔습니다. 저는 이런 짧은 만남을 좋아합니다. 낯선 두 사람이 몇 마디를 나누면 하루가 한결 가벼워집니다.',
	zh: '今天早上，商店开门之前，我穿过了老市场。空气里有新鲜面包、雨水和橙子的味道。一个年轻人问我：“桥还封着吗？”我告诉他，教堂后面的码头每二十分钟有一班船。他笑了笑，道了谢，提着两个包匆匆走了。我喜欢这样短暂的相遇：两个陌生人说上几句话，一整天都会觉得轻松一些。',
};

/** The text for a language; null for a language without one, in which the user speaks freely. */
export function textToRead(language: string): string | null {
	return texts[baseOf(language)] ?? null;
}

/** The first sentence of the text for a language; empty for a language without a text. */
export function firstSentence(language: string): string {
	const text = textToRead(language) ?? '';
	return /^.*?(?:[.!?؟。।]|$)/s.exec(text)?.[0] ?? '';
}
