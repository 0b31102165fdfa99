"""Makes of Whisper as CTranslate2 keeps it what sherpa-onnx reads: PREFIX-encoder.int8.onnx, PREFIX-decoder.int8.onnx, PREFIX-tokens.txt.

Usage: ct2_to_sherpa.py FOLDER PREFIX NAME, where NAME is the size, such as tiny.en. Needs onnx, numpy and onnxruntime.
The networks are built anew with onnx's operators, layer by layer, and the weights are put into them. The decoder's embeddings
are kept once for both their uses, which makes the files smaller than those of sherpa-onnx itself.
"""
import sys, struct, json, base64, numpy as np, onnx
from onnx import helper as h, numpy_helper as nh, TensorProto as TP
src, out, name = sys.argv[1:4]
b = open(src+'/model.bin','rb').read(); o = 0
def rd(f):
    global o; v = struct.unpack_from('<'+f, b, o)[0]; o += struct.calcsize('<'+f); return v
def s():
    global o; n = rd('H'); v = b[o:o+n-1].decode(); o += n; return v
rd('I'); s(); rd('I'); V = {}
DT = {0:np.float32,1:np.int8,2:np.int16,3:np.int32,4:np.float16}
for _ in range(rd('I')):
    k = s(); r = rd('B'); dims = [rd('I') for _ in range(r)]; dt = rd('B'); n = rd('I'); V[k] = np.frombuffer(b, DT[dt], n//np.dtype(DT[dt]).itemsize, o).reshape(dims); o += n
W = lambda k: V[k].astype(np.float32)
emb = V['decoder/embeddings/weight']; NV, D = emb.shape; H = D//64
EL = max(int(k.split('/')[1][6:]) for k in V if k.startswith('encoder/layer_') and k.split('/')[1][6:].isdigit())+1
DL = max(int(k.split('/')[1][6:]) for k in V if k.startswith('decoder/layer_') and k.split('/')[1][6:].isdigit())+1
class G:
    def __init__(s): s.n=[]; s.i=[]; s.c=0; s.names=set()
    def const(s, a, nm=None):
        s.c+=1; nm = nm or f'c{s.c}'
        if nm not in s.names: s.names.add(nm); s.i.append(nh.from_array(a if np.ndim(a)==0 else np.ascontiguousarray(a), nm))
        return nm
    def ints(s,*a): return s.const(np.array(a,np.int64),'i_'+'_'.join(map(str,a)).replace('-','m'))
    def op(s, t, *ins, nout=1, out=None, **kw):
        s.c+=1; outs=[out] if out else [f'{t}{s.c}_{j}' for j in range(nout)]; s.n.append(h.make_node(t, list(ins), outs, name=f'n{s.c}', **kw)); return outs[0] if nout==1 else outs
    def lin(s,x,w,bias=None):
        y=s.op('MatMul',x,s.const(w.T)); return y if bias is None else s.op('Add',y,s.const(bias))
    def ln(s,x,p): return s.op('LayerNormalization',x,s.const(W(p+'/gamma')),s.const(W(p+'/beta')),axis=-1,epsilon=1e-5)
    def heads(s,x,perm): return s.op('Transpose',s.op('Reshape',x,s.ints(0,0,H,64)),perm=perm)
    def attn(s,q,k,v,mask=None):
        q=s.op('Mul',s.heads(q,[0,2,1,3]),s.const(np.array(1/8,np.float32),'scale')); sc=s.op('MatMul',q,s.heads(k,[0,2,3,1]))
        if mask: sc=s.op('Add',sc,mask)
        y=s.op('MatMul',s.op('Softmax',sc,axis=-1),s.heads(v,[0,2,1,3])); return s.op('Reshape',s.op('Transpose',y,perm=[0,2,1,3]),s.ints(0,0,D))
    def ffn(s,x,p):
        y=s.ln(x,p+'/layer_norm'); y=s.op('Gelu',s.lin(y,W(p+'/linear_0/weight'),W(p+'/linear_0/bias'))); return s.op('Add',x,s.lin(y,W(p+'/linear_1/weight'),W(p+'/linear_1/bias')))
def save(g, ins, outs, path, meta=None):
    m=h.make_model(h.make_graph(g.n,'g',ins,outs,g.i),opset_imports=[h.make_opsetid('',20)],ir_version=9)
    for k,v in (meta or {}).items(): e=m.metadata_props.add(); e.key=k; e.value=str(v)
    onnx.save(m,path)
vi=lambda n,t,d: h.make_tensor_value_info(n,t,d)
# tokens
vocab=open(src+'/vocabulary.txt',encoding='utf8').read().split('\n'); eot=vocab.index('<|endoftext|>')
bs=list(range(33,127))+list(range(161,173))+list(range(174,256)); cs=bs[:]; n=0
for c in range(256):
    if c not in bs: bs.append(c); cs.append(256+n); n+=1
u2b={chr(c):bb for bb,c in zip(bs,cs)}
with open(f'{out}-tokens.txt','w') as f:
    for i in range(eot): f.write(base64.b64encode(bytes(u2b[ch] for ch in vocab[i])).decode()+f' {i}\n')
sot=vocab.index('<|startoftranscript|>'); multi = NV>=51865; langs=[v[2:-2] for v in vocab[sot+1:sot+100]]
tr=vocab.index('<|transcribe|>'); tl=vocab.index('<|translate|>'); nts=vocab.index('<|notimestamps|>'); nsp=vocab.index('<|nospeech|>') if '<|nospeech|>' in vocab else vocab.index('<|nocaptions|>')
sup=json.load(open(src+'/config.json')).get('suppress_ids',[])
meta=dict(model_type='whisper-'+name,version=1,maintainer='dragoman',n_mels=80,n_audio_ctx=1500,n_audio_state=D,n_audio_head=H,n_audio_layer=EL,n_vocab=NV,n_text_ctx=448,n_text_state=D,n_text_head=H,n_text_layer=DL,
 sot_sequence=f'{sot},{sot+1},{tr}' if multi else f'{sot}',all_language_tokens=','.join(str(sot+1+i) for i in range(99)),all_language_codes=','.join(langs),sot=sot,sot_index=0,eot=eot,blank_id=vocab.index('Ġ'),is_multilingual=int(multi),no_speech=nsp,non_speech_tokens=','.join(str(x) for x in sup if 0<=x<eot),transcribe=tr,translate=tl,sot_prev=vocab.index('<|startofprev|>'),sot_lm=vocab.index('<|startoflm|>'),no_timestamps=nts)
# encoder
g=G(); x='mel'
for c,st in (('1',1),('2',2)): x=g.op('Gelu',g.op('Conv',x,g.const(W(f'encoder/conv{c}/weight')),g.const(W(f'encoder/conv{c}/bias')),kernel_shape=[3],pads=[1,1],strides=[st]))
x=g.op('Transpose',x,perm=[0,2,1])
if 'encoder/position_encodings/encodings' in V: pos=W('encoder/position_encodings/encodings').reshape(-1,D)
else:
    half=D//2; inv=np.exp(-np.log(10000)/(half-1)*np.arange(half)); a=np.arange(1500)[:,None]*inv[None]; pos=np.concatenate([np.sin(a),np.cos(a)],1).astype(np.float32)
T=g.op('Slice',g.op('Shape',x),g.ints(1),g.ints(2)); x=g.op('Add',x,g.op('Slice',g.const(pos),g.ints(0),T,g.const(np.array([0],np.int64),'ax0')))
for i in range(EL):
    p=f'encoder/layer_{i}/self_attention'; y=g.ln(x,p+'/layer_norm'); w=W(p+'/linear_0/weight'); bb=W(p+'/linear_0/bias')
    q,k,v=[g.lin(y,w[j*D:(j+1)*D],bb[j*D:(j+1)*D] if j!=1 else None) for j in range(3)]
    x=g.op('Add',x,g.lin(g.attn(q,k,v),W(p+'/linear_1/weight'),W(p+'/linear_1/bias'))); x=g.ffn(x,f'encoder/layer_{i}/ffn')
x=g.ln(x,'encoder/layer_norm'); ks=[];vs=[]
for i in range(DL):
    w=W(f'decoder/layer_{i}/attention/linear_1/weight'); bb=W(f'decoder/layer_{i}/attention/linear_1/bias')
    ks.append(g.op('Unsqueeze',g.lin(x,w[:D]),g.ints(0))); vs.append(g.op('Unsqueeze',g.lin(x,w[D:],bb[D:]),g.ints(0)))
g.op('Concat',*ks,axis=0,out='n_layer_cross_k'); g.op('Concat',*vs,axis=0,out='n_layer_cross_v')
save(g,[vi('mel',TP.FLOAT,['N',80,'T'])],[vi('n_layer_cross_k',TP.FLOAT,[DL,'N','T2',D]),vi('n_layer_cross_v',TP.FLOAT,[DL,'N','T2',D])],f'{out}-encoder.onnx',meta)
# decoder
g=G(); n=g.op('Slice',g.op('Shape','tokens'),g.ints(1),g.ints(2)); end=g.op('Add','offset',n); ax0=g.ints(0); ax1=g.ints(1)
x=g.op('Cast',g.op('Gather',g.const(emb.astype(np.float16),'emb16'),'tokens'),to=TP.FLOAT)
x=g.op('Add',x,g.op('Slice',g.const(W('decoder/position_encodings/encodings').reshape(-1,D)),'offset',end,ax0))
mask=g.op('Slice',g.op('Slice',g.const(np.triu(np.full((448,448),-1e9,np.float32),1)),'offset',end,ax0),ax0,end,ax1)
ok=[];ov=[]
for i in range(DL):
    p=f'decoder/layer_{i}/self_attention'; y=g.ln(x,p+'/layer_norm'); w=W(p+'/linear_0/weight'); bb=W(p+'/linear_0/bias')
    q,k,v=[g.lin(y,w[j*D:(j+1)*D],bb[j*D:(j+1)*D] if j!=1 else None) for j in range(3)]
    def cache(inp,new,acc):
        c=g.op('Gather',inp,g.const(np.array(i,np.int64),f'idx{i}'),axis=0); full=g.op('Concat',g.op('Slice',c,ax0,'offset',ax1),new,axis=1); acc.append(g.op('Unsqueeze',g.op('Concat',full,g.op('Slice',c,end,g.ints(448),ax1),axis=1),ax0)); return full
    k=cache('in_n_layer_self_k_cache',k,ok); v=cache('in_n_layer_self_v_cache',v,ov)
    x=g.op('Add',x,g.lin(g.attn(q,k,v,mask),W(p+'/linear_1/weight'),W(p+'/linear_1/bias')))
    p=f'decoder/layer_{i}/attention'; y=g.ln(x,p+'/layer_norm'); q=g.lin(y,W(p+'/linear_0/weight'),W(p+'/linear_0/bias'))
    ck,cv=[g.op('Gather',nm,f'idx{i}',axis=0) for nm in ('n_layer_cross_k','n_layer_cross_v')]
    x=g.op('Add',x,g.lin(g.attn(q,ck,cv),W(p+'/linear_2/weight'),W(p+'/linear_2/bias'))); x=g.ffn(x,f'decoder/layer_{i}/ffn')
x=g.ln(x,'decoder/layer_norm'); g.op('MatMul',x,g.const(emb.astype(np.float32).T,'embT'),out='logits')
g.op('Concat',*ok,axis=0,out='out_n_layer_self_k_cache'); g.op('Concat',*ov,axis=0,out='out_n_layer_self_v_cache')
C=lambda nm:vi(nm,TP.FLOAT,[DL,'N',448,D]); X=lambda nm:vi(nm,TP.FLOAT,[DL,'N','T2',D])
save(g,[vi('tokens',TP.INT64,['N','n']),C('in_n_layer_self_k_cache'),C('in_n_layer_self_v_cache'),X('n_layer_cross_k'),X('n_layer_cross_v'),vi('offset',TP.INT64,[1])],[vi('logits',TP.FLOAT,['N','n',NV]),C('out_n_layer_self_k_cache'),C('out_n_layer_self_v_cache')],f'{out}-decoder.onnx')
from onnxruntime.quantization import quantize_dynamic, QuantType
for x in ('encoder','decoder'): quantize_dynamic(f'{out}-{x}.onnx',f'{out}-{x}.int8.onnx',op_types_to_quantize=['MatMul'],weight_type=QuantType.QInt8)
