import type { Promised } from './promise.ts';
import { readme } from './readme.ts';
import { security } from './security.ts';

export const promises: readonly Promised[] = [...readme, ...security];
