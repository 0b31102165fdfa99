import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkMediaAddress, PUBLIC_REST_BASE } from '#main/service/addresses.ts';

/** Addresses that a service may hand out, and whether media or a sample may go there. */
interface Group {
	readonly addresses: readonly string[];
	/** Whether it may be used with the public service. */
	readonly public: boolean;
	/** Whether it may be used with a service on this computer. */
	readonly local: boolean;
	readonly why: string;
}

const groups: readonly Group[] = JSON.parse(readFileSync('test/corpus/addresses.json', 'utf8'));
const rows = groups.flatMap(({ addresses, ...group }) => addresses.map((address) => ({ ...group, address })));
type Row = (typeof rows)[number];
const LOCAL_BASES = ['http://127.0.0.1:4321', 'http://localhost:4321', 'http://[::1]:4321'];

const judged = (base: string) => (row: Row) => checkMediaAddress(row.address, base) === null;
const short = ({ address, why }: Row) => `${why}: ${address.slice(0, 80)}`;

test('the corpus is large, and holds both kinds', () => {
	expect(new Set(rows.map(({ address }) => address)).size).toBe(rows.length);
	expect(rows.length).toBeGreaterThanOrEqual(300);
	expect(rows.filter((row) => row.public).length).toBeGreaterThan(50);
	expect(rows.filter((row) => row.local && !row.public).length).toBeGreaterThan(10);
});

test('no address is wrongly accepted', () => {
	expect(rows.filter((row) => !row.public && judged(PUBLIC_REST_BASE)(row)).map(short)).toEqual([]);
	for (const base of LOCAL_BASES)
		expect(rows.filter((row) => !row.local && judged(base)(row)).map(short)).toEqual([]);
});

test('no address is wrongly refused', () => {
	expect(rows.filter((row) => row.public && !judged(PUBLIC_REST_BASE)(row)).map(short)).toEqual([]);
	for (const base of LOCAL_BASES)
		expect(rows.filter((row) => row.local && !judged(base)(row)).map(short)).toEqual([]);
});

test('where only some hosts are allowed, nothing of the corpus gets past them', () => {
	const allowed = ['media.example.com', '*.palabra.ai'];
	const passed = rows.filter((row) => checkMediaAddress(row.address, PUBLIC_REST_BASE, allowed) === null);
	expect(passed.length).toBeGreaterThan(5);
	for (const { address } of passed)
		expect(new URL(address).hostname).toMatch(/^(media\.example\.com|streaming(-0)?\.palabra\.ai)$/);
});

test('a refusal names at most the host', () => {
	for (const row of rows.filter(({ public: may }) => !may)) {
		const problem = checkMediaAddress(row.address, PUBLIC_REST_BASE);
		expect(['address-refused', 'port-refused']).toContain(problem?.kind);
		expect(JSON.stringify(problem).length).toBeLessThan(200);
	}
});
