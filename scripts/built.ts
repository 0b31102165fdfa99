/** `node scripts/built.ts SCRIPT …` builds the app when needed, and goes on as that script, in the same process. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildWhenNeeded } from './build.ts';
import { endOnSignals } from './supervise.ts';

const stopEnding = endOnSignals();
if (!(await buildWhenNeeded())) process.exit(1);
stopEnding();
const [node = '', , script = '', ...args] = process.argv;
process.argv = [node, resolve(script), ...args];
await import(pathToFileURL(resolve(script)).href);
