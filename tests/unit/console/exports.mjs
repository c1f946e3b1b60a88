// Prints what each module exports, by the file's path. Arguments: the folder, and the paths below it.
const [folder, ...names] = process.argv.slice(2);
const found = {};
for (const name of names) found[name] = Object.keys(await import(`${folder}/${name}`)).sort();
process.stdout.write(JSON.stringify(found));
