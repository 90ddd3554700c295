// What the modules of Node answer that are here too. Node 24 wrote the answers: nodemodules.json.
import path from "node:path";
import events from "events";
import util from "node:util";
import assert from "node:assert";
import url from "node:url";
import buffer from "node:buffer";
import querystring from "querystring";
import string_decoder from "string_decoder";

const modules = { path, events, util, assert, url, buffer, querystring, string_decoder };
const r = (name) => modules[name];
const rows = [];
const show = (f) => {
	try {
		const value = f();
		return typeof value === "string" ? value : JSON.stringify(value, (_, x) => x === undefined ? "undefined" : typeof x === "bigint" ? `${x}n` : x);
	} catch {
		return "throws";
	}
};
const cmp = (label, f) => rows.push([label, show(() => f(r))]);

export const run = () => {
const paths=['','.','..','/','//','a','a/','/a','/a/','a/b','/a/b','a//b','./a','../a','a/../b','/../a','.a','a.b','a.b.c','...','a/b.js/','漢/字.txt','a/..','./','a.b/c'];
for(const p of paths){for(const fn of ['normalize','dirname','basename','extname','parse','isAbsolute'])cmp(fn+' '+p,r=>r('path').posix[fn](p));
 for(const s of ['.js','b','.b','a.b','']) cmp('basename '+p+' '+s,r=>r('path').posix.basename(p,s));
 cmp('join '+p,r=>paths.map(q=>r('path').posix.join(p,q)));
for(const q of paths){ if(p.startsWith('/')) {cmp('resolve '+p+'|'+q,r=>r('path').posix.resolve(p,q)); if(q.startsWith('/'))cmp('rel '+p+'|'+q,r=>r('path').posix.relative(p,q))}
  if(!p.startsWith('/')&&!q.startsWith('/')&&!p.includes('..')&&!q.includes('..')) cmp('rel '+p+'|'+q,r=>r('path').posix.relative(p,q));}
 cmp('roundtrip '+p,r=>r('path').posix.format(r('path').posix.parse(p)));}
for(const o of [{dir:'/a',base:'b'},{root:'/',base:'b'},{root:'/',dir:'/',base:'b'},{name:'a',ext:'js'},{name:'a',ext:'.js'},{dir:'x',name:'a'},{}]) cmp('format'+JSON.stringify(o),r=>r('path').posix.format(o));
const qss=['a=1&b=2','a=1&a=2','a','=b','a=b=c','','&&','a=%20+%41','a=%zz','%e6%bc%a2=1','a[]=1&a[]=2','__proto__=1','a=1&'];
for(const q of qss){cmp('qs '+q,r=>r('querystring').parse(q))}
for(const o of [{a:1,b:[1,2],c:'x y',d:null,e:true,f:undefined,g:{},h:NaN,i:"!'()*~漢"},{},null,{a:[]},{a:10n}]) cmp('qss',r=>r('querystring').stringify(o));
const fm=[['%s',1],['%s','a','b'],['%d','42'],['%d','x'],['%i',4.5],['%f','1.5x'],['%j',{a:1}],['%%'],['a%'],['%s'],['%x',1],['%s',null],['%s',undefined],['%d',5n],['a',1,'b'],['%s',-0],['%s',Symbol('q')],[1,2],['%c x','css'],['%o'],['%s %s',1]];
for(const f of fm) cmp('format '+f.map(String),r=>r('util').format(...f));
for(const v of [1,-0,'a',null,undefined,true,5n,[],[1,2],{},{a:1},{a:{b:{c:{d:1}}}},[[[[1]]]],new Map([[1,2]]),new Set([1]),/a/g,new Date(0),new Date(NaN),()=>1,function f(){},Symbol('x'),{'a-b':1},'it\'s',["a"],Object.create(null)]) cmp('inspect '+String(typeof v==='object'&&v?JSON.stringify(v):typeof v),r=>r('util').inspect(v));
const vals=[0,-0,'1',NaN,undefined,[1],{a:1},{a:1,b:undefined},{a:'1'},new Date(0),new Date(1),/a/,/a/g,new Map([[1,{a:1}]]),new Map([[1,{a:2}]]),new Set([1,{a:1}]),new Set([{a:1},1]),new Set([1]),new Uint8Array([1]),Buffer.from([1]),new Error('a'),new Error('b'),Object(1),Object('1'),Object.create(null),new (class A{}),[undefined],[,],new Map([[{k:1},1]]),new Map([[{k:1},1]]),5n];
for (const [i, a] of vals.entries()) {
	for (const fn of ["equal", "strictEqual", "deepEqual", "deepStrictEqual"]) {
		cmp(fn + " " + i, (r) => vals.map((b) => show(() => { r("assert")[fn](a, b); return 1; }) === "1" ? "1" : "0").join(""));
	}
}
for(const [f,e] of [[()=>{throw new TypeError('x')},TypeError],[()=>{throw new TypeError('x')},RangeError],[()=>{throw new TypeError('x')},/x/],[()=>{throw new TypeError('x')},/y/],[()=>{throw new TypeError('x')},{message:'x'}],[()=>{throw new TypeError('x')},{message:/y/}],[()=>1,Error],[()=>{throw new TypeError('x')},e=>true],[()=>{throw new TypeError('x')},e=>false],[()=>{throw new TypeError('x')}]]) cmp('throws '+rows.length,r=>{r('assert').throws(f,e);return 1});
for(const u of ['file:///a/b%20c','http://x/','file://h/a','file:///a%2fb','file:///%e6%bc%a2']) cmp('f2p '+u,r=>r('url').fileURLToPath(u));
for(const u of ['/a b','/a%b','/a?b#c','/a/','/漢','/','/a\\b']) cmp('p2f '+u,r=>r('url').pathToFileURL(u).href);
for(const enc of ['utf8','utf-8','base64','hex','utf16le','latin1','base64url']) for(const step of [1,2,3,5]) cmp('sd '+enc+step,r=>{const d=new (r('string_decoder').StringDecoder)(enc),b=Buffer.from('漢a😀é\ufeffz~~~');let s='';for(let i=0;i<b.length;i+=step)s+=d.write(b.subarray(i,i+step));return s+d.end()});
cmp('sd bad',r=>{const d=new (r('string_decoder').StringDecoder)();return d.write(Buffer.from([0xe6,0xbc]))+d.end()});
cmp('ee',r=>{const E=r('events'),e=new E(),l=[];e.on('newListener',n=>l.push('new '+n));e.on('removeListener',n=>l.push('rm '+n));const f=x=>l.push('f'+x);e.on('a',f);e.once('a',x=>l.push('once'+x));e.prependListener('a',x=>l.push('first'+x));l.push(e.emit('a',1),e.emit('a',2),e.emit('b'));e.off('a',f);l.push(e.listenerCount('a'),e.eventNames());e.removeAllListeners('a');l.push(e.eventNames());e.on('x',()=>{e.on('x',()=>l.push('late'));l.push('x')});e.emit('x');e.removeAllListeners();l.push(e.eventNames());return l});
cmp('ee err',r=>{const e=new (r('events'))();try{e.emit('error',new Error('q'))}catch(x){return x.message}});
cmp('ee err2',r=>{const e=new (r('events'))();try{e.emit('error','q')}catch(x){return x.message+x.context}});
cmp('ee sub',r=>{const E=r('events').EventEmitter;class X extends E{};const x=new X();let n=0;x.on('a',function(){n+=this===x?1:9});x.emit('a');return n});
cmp('ee call',r=>{const E=r('events');function X(){E.call(this)};r('util').inherits(X,E);const x=new X();let n=0;x.on('a',()=>n++);x.emit('a');return [n,X.super_===E]});
cmp('ee bad',r=>new (r('events'))().on('a',1));
cmp('strip',r=>r('util').stripVTControlCharacters('\x1b[31mred\x1b[0m \x1b]8;;http://x\x07l\x1b]8;;\x07'));
cmp('tobuf',r=>Object.keys(r('buffer').constants).includes('MAX_LENGTH'));
return rows;
};
