// Loaded into a program: at its end the names in its environment, as another program would inherit it.
process.once('exit', () => {
	process.stdout.write(`\nat the end: ${Object.keys(process.env).join(' ')}\n`);
});
