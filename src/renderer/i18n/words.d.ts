/** Parts of a catalogue (scripts/bundle/window.ts). */
declare module '*?first' {
	const words: object;
	// biome-ignore lint/style/noDefaultExport: as a catalogue has it
	export default words;
}
declare module '*?pages' {
	const words: object;
	// biome-ignore lint/style/noDefaultExport: as a catalogue has it
	export default words;
}
