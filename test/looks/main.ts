/**
 * `npm run looks`: every state of the window in every size, theme and language, with a picture of each in `out/looks`
 * and a line for each thing that is wrong. `-- --states live,stopped --sizes 420x700 --themes contrast --languages ja`
 * looks at only those, `-- --pairs` at a selection that contains every pair of them, `-- --list` names the states;
 * `-- --colors forced|more` shows them as where the system replaces the colours, or asks for more contrast.
 * Main is a scripted one there; `test/e2e/window.test.ts` walks the built app itself.
 */
import { rmSync } from 'node:fs';
import { readArguments } from '#scripts/arguments.ts';
import { everyLook, languages, pairwise, sizes, themes } from './choose.ts';
import { startWalk, table } from './walk.ts';

const PICTURES = 'out/looks';

const { values } = readArguments(import.meta.filename, {
	options: {
		states: { type: 'string', default: '' },
		sizes: { type: 'string', default: sizes.join() },
		themes: { type: 'string', default: themes.join() },
		languages: { type: 'string', default: languages.join() },
		colors: { type: 'string', default: '' },
		pairs: { type: 'boolean', default: false },
		list: { type: 'boolean', default: false },
	},
});

const walk = await startWalk();
try {
	const asked = values.states === '' ? walk.states : values.states.split(',');
	if (values.list) console.log(walk.states.join('\n'));
	else {
		rmSync(PICTURES, { recursive: true, force: true });
		const chosen = {
			sizes: values.sizes.split(','),
			themes: values.themes.split(','),
			languages: values.languages.split(','),
		};
		const looks = values.pairs ? pairwise(asked) : everyLook(asked, chosen);
		const { colors } = values;
		const found = [...(await walk.look(looks, { pictures: PICTURES, colors }))];
		for (const size of ['760x560', '420x700']) found.push(...(await walk.use(asked, size)));
		if (found.length > 0) console.log(table(found));
		console.log(
			`${looks.length} looks at ${asked.length} states, ${found.length} findings; pictures in ${PICTURES}`,
		);
		process.exitCode = found.length > 0 ? 1 : 0;
	}
} finally {
	await walk.close();
}
