/**
 * `npm run faults -- --vendor [--row N]…`: the faults that any client meets, put to the built app and to the vendor's
 * SDK side by side. What was seen is kept in `out/faults-vendor.json`; once every case has been looked at,
 * the last section of `test/faults/README.md` is written.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startSandbox } from '#sandbox/sandbox.ts';
import { VENDOR_LIBRARY } from '#test/bench/browser.ts';
import { type LivekitServer, startLivekitServer } from '#test/support/livekit-server.ts';
import { cases } from './cases.ts';
import { openFront } from './front.ts';
import type { Case } from './looking.ts';
import { openOurs, openVendors, type Place, type Subject, type SubjectName } from './subjects.ts';
import { merged, sectionOf, totalsOf, type Verdict, withSection } from './verdicts.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const KEPT = join(root, 'out/faults-vendor.json');
const SUBJECTS: readonly SubjectName[] = ['ours', 'vendor'];

/** Null: all was seen. */
async function tryOne(one: Case, open: (place: Place) => Promise<Subject>): Promise<string | null> {
	const ends: (() => Promise<unknown>)[] = [];
	try {
		let livekit: LivekitServer | null = null;
		if (one.realRooms) {
			const started = await startLivekitServer('v1.8.4');
			if ('missing' in started) return `not run: ${started.missing}`;
			livekit = started;
			ends.push(livekit.stop);
		}
		const sandbox = await startSandbox({
			...(livekit ? { liveKit: livekit } : {}),
			...(one.faults ? { faults: one.faults } : {}),
		});
		ends.push(sandbox.close);
		const { api, s2s, key } = sandbox.addresses;
		const front = await openFront(api, key);
		ends.push(front.close);
		const subject = await open({ api: front.address, s2s, key });
		ends.push(subject.close);
		return await one.see({ subject, sandbox, front, livekit }).then(
			() => null,
			async (failure: unknown) => {
				const told = await subject.told().catch(() => '');
				if (values.loud) console.log(`   it says: ${told.slice(0, 400)}`);
				return String(failure instanceof Error ? failure.message : failure).slice(0, 160);
			},
		);
	} finally {
		for (const end of ends.reverse()) await end().catch((failure) => console.log(`   not ended: ${failure}`));
	}
}

const { values } = parseArgs({
	options: { row: { type: 'string', multiple: true }, loud: { type: 'boolean' } },
});
const wanted = cases.filter(({ row }) => values.row?.includes(String(row)) ?? true);
if (wanted.length === 0) {
	const known = [...new Set(cases.map(({ row }) => row))].join(', ');
	console.error(`Rows that any client meets: ${known}.`);
	process.exit(2);
}
if (!existsSync(join(root, VENDOR_LIBRARY)))
	execFileSync('npm', ['ci', '--prefix', 'test/vendor-sdk'], { cwd: root });
const before: readonly Verdict[] = existsSync(KEPT) ? JSON.parse(readFileSync(KEPT, 'utf8')) : [];
const names = cases.map(({ row, fault }) => `${row} ${fault}`);
mkdirSync(join(root, 'out'), { recursive: true });
const vendors = await openVendors();
const verdicts: Verdict[] = [];
try {
	for (const one of wanted) {
		const opened = { ours: openOurs, vendor: vendors.open } as const;
		const [ours, vendor] = await Promise.all(
			SUBJECTS.map((name) => tryOne(one, opened[name]).catch((failure) => `not run: ${failure}`)),
		);
		const seen = { ours: ours ?? null, vendor: vendor ?? null };
		verdicts.push({ row: one.row, fault: one.fault, lookedFor: one.lookedFor, seen });
		// A run that is broken off keeps what it saw.
		writeFileSync(KEPT, `${JSON.stringify(merged(before, verdicts, names), null, '\t')}\n`);
		console.log(
			`${one.row} ${one.fault}\n   the app: ${seen.ours ?? 'yes'}\n   the SDK: ${seen.vendor ?? 'yes'}`,
		);
	}
} finally {
	await vendors.close();
}
const all = merged(before, verdicts, names);
const { passed, ratio } = totalsOf(all);
console.log(`of ${all.length}: the app ${passed.ours}, the SDK ${passed.vendor}, ${ratio.toFixed(1)} times`);
if (all.length === cases.length) {
	const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
		cwd: root,
		encoding: 'utf8',
	}).trim();
	const page = join(root, 'test/faults/README.md');
	const section = sectionOf(all, { date: new Date().toISOString().slice(0, 10), commit });
	writeFileSync(page, withSection(readFileSync(page, 'utf8'), section));
}
process.exit();
