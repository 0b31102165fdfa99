/**
 * The forwarder as a program of its own, for a network that this one does not reach. Argument: the server as JSON
 * (url, key, secret). Says `ready`, then does as it is told: `away` and `back`. Ends with whoever started it.
 */
import { openForwarder } from './forwarder.ts';

const forwarder = await openForwarder(JSON.parse(process.argv[2] ?? '{}'));
process.on('message', async (word: 'away' | 'back') => {
	await forwarder.stay(word === 'back');
	process.send?.(word);
});
process.once('disconnect', () => void forwarder.close().finally(() => process.exit()));
process.send?.('ready');
