#!/usr/bin/env node
// The entry point of the program. Node's own modules come first, then the limit, and the program is loaded behind it: loading alone lets the
// space outgrow the limit, and Node's modules are slow to load behind it.
import { limitNewObjectSpace } from '../platform/new-object-space.ts';
import { loadNodeModules } from '../platform/node-modules.ts';

loadNodeModules();
limitNewObjectSpace(process.env.NODE_OPTIONS);
await import('./command.ts');
