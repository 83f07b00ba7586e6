#!/usr/bin/env node
// The entry point of the program. The limit comes first and the program is loaded behind it: loading alone lets the space outgrow the limit.
import { limitNewObjectSpace } from '../platform/new-object-space.ts';

limitNewObjectSpace(process.env.NODE_OPTIONS);
await import('./command.ts');
